"""Pages in Parquet files, scored on Ray and put together.    python on_ray.py PAGES OUT

PAGES is a folder of Parquet files with the columns id, html and gold. The same command continues a run that failed.
"""

import sys
from pathlib import Path

import carat.ray
import ray
from ray.data.checkpoint import CheckpointConfig


@carat.extractor(version="1")
def paragraphs(html: str) -> str:
    """All that stands in paragraphs."""
    return "\n".join(part.split("</p>")[0] for part in html.split("<p>")[1:])


def main(pages: str, out: str) -> None:
    checkpoint = Path(f"{out}-checkpoint").absolute()
    context = ray.data.DataContext.get_current()
    context.checkpoint_config = CheckpointConfig(id_column="id", checkpoint_path=str(checkpoint))
    run = carat.ray.run(ray.data.read_parquet(pages), ["nta", "all-text", paragraphs], bounds=[], out=out)
    print(run)
    print(run.result_digest)


if __name__ == "__main__":
    main(*sys.argv[1:])
