"""An extractor of one's own beside carat's: which is better, and on which pages it is worst.    python own_row.py"""

import carat


@carat.extractor(version="1")
def paragraphs(html: str) -> str:
    """All that stands in paragraphs."""
    return "\n".join(part.split("</p>")[0] for part in html.split("<p>")[1:])


def main() -> None:
    run = carat.run("portals", ["nta", "cevc", paragraphs], bounds=[])
    print(run)
    print(carat.compare(run))
    own = [score for score in run.scores if score["algorithm"] == "python/paragraphs"]
    worst = min(own, key=lambda score: score["f1"])
    print(run.page(worst["page"]).diff("python/paragraphs"))


if __name__ == "__main__":
    main()
