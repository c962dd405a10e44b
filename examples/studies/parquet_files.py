"""Parquet files as pyarrow writes them, and the scores of a run as pyarrow reads them.

    pip install pyarrow
    python3 examples/studies/parquet_files.py rows 300000 OUT --group-rows 1000
    python3 examples/studies/parquet_files.py layouts DATASET OUT
    python3 examples/studies/parquet_files.py scores RUN

`rows` writes OUT/rows.parquet: so many small pages with gold, on 2 000 made sites. The peak memory of `carat run --dataset
parquet:OUT/rows.parquet,columns.gold=gold` must not hang on the size of the row groups.

`layouts` writes the pages of a dataset in carat's own format (`carat dataset import .. --set compress=none`) in every layout
that pyarrow has for them, each as OUT/LAYOUT/NAME.parquet, with the dataset's name. A run of each must have the `result_digest`
of the run of the dataset. In `gbk` pages are bytes: in GBK, where it has all their characters.

`scores` compares each row and column of RUN/scores.parquet with RUN/scores.csv (`carat run --scores both`).
"""

import argparse
import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

SITES = 2_000
WORDS = ("dataset", "page", "site", "language", "kind", "algorithm", "parameters", "status")
COUNTS = ("matched", "extracted", "gold", "gaps", "unseen", "markup")
SCORES = ("precision", "recall", "f1")


def rows(count: int, out: Path, group_rows: int) -> None:
    """Writes small pages, so many to a row group; a row group is held while it is written."""
    schema = pa.schema([(name, pa.string()) for name in ("id", "html", "gold", "url", "language")])
    out.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(out / "rows.parquet", schema) as writer:
        for first in range(0, count, group_rows):
            group = [row(number) for number in range(first, min(first + group_rows, count))]
            writer.write_table(pa.Table.from_pylist(group, schema=schema), row_group_size=group_rows)
    print(f"{count} rows, {pq.ParquetFile(out / 'rows.parquet').num_row_groups} row groups: {out / 'rows.parquet'}")


def row(number: int) -> dict[str, str]:
    """A page of some words that no other page has."""
    text = " ".join(f"word{number * step % 1_000_003}" for step in range(1, 40))
    return {
        "id": f"p{number:08}",
        "html": f"<html><body><div><a href='/'>home</a></div><p>{text}</p></body></html>",
        "gold": text,
        "url": f"http://s{number * 7919 % SITES}.example/{number}",
        "language": "en",
    }


def known(dataset: Path) -> Iterator[dict]:
    """The lines of the page list, each with the bytes of its page and its gold."""
    manifest = (dataset / "dataset.yaml").read_text(encoding="utf-8")
    golds = next((line.split(":", 1)[1].strip() for line in manifest.splitlines() if line.startswith("gold_folder:")), ".")
    path = lambda field: field if isinstance(field, str) else field["path"]
    for line in (dataset / "pages.jsonl").read_text(encoding="utf-8").splitlines():
        page = json.loads(line)
        gold = page.get("gold") and (dataset / golds / path(page["gold"])).read_text(encoding="utf-8")
        fields = {name: page.get(name) for name in ("id", "url", "site", "language", "kind", "encoding")}
        yield fields | {"html": (dataset / path(page["html"])).read_bytes(), "gold": gold or None}


def in_gbk(page: dict) -> dict:
    """The page in GBK, if that has all its characters."""
    try:
        return page | {"html": page["html"].decode("utf-8").encode("gbk"), "encoding": "gbk"}
    except UnicodeError:
        return page


def layouts(dataset: Path, out: Path) -> None:
    """Writes the pages in every layout."""
    of_bytes = list(known(dataset))
    text = [page | {"html": page["html"].decode("utf-8", "replace")} for page in of_bytes]
    plain = table(text, pa.string())
    coded = pa.table({name: column.dictionary_encode() for name, column in zip(plain.column_names, plain.columns)})
    gbk = table([in_gbk(page) for page in of_bytes], pa.string(), pa.binary())
    made = {
        "one-group": (plain, {}),
        "groups-of-1": (plain, {"row_group_size": 1}),
        "groups-of-7": (plain, {"row_group_size": 7}),
        "dictionaries": (coded, {"use_dictionary": True}),
        "no-dictionaries": (plain, {"use_dictionary": False}),
        "pages-v2": (plain, {"data_page_version": "2.0", "data_page_size": 4_096}),
        "delta": (plain, {"use_dictionary": False, "column_encoding": "DELTA_LENGTH_BYTE_ARRAY", "compression": "zstd"}),
        "large": (table(text, pa.large_string()), {"compression": "gzip"}),
        "views": (table(text, pa.string_view()), {"compression": "none"}),
        "gbk": (gbk, {}),
    }
    for name, (pages, options) in made.items():
        (out / name).mkdir(parents=True, exist_ok=True)
        pq.write_table(pages, out / name / f"{dataset.name}.parquet", **options)
    in_bytes = sum(encoding == "gbk" for encoding in gbk["encoding"].to_pylist())
    print(f"{len(text)} pages in {len(made)} layouts, {in_bytes} of them in GBK in one: {out}")


def table(pages: list[dict], words: pa.DataType, html: pa.DataType | None = None) -> pa.Table:
    """The pages with all columns of one type, but for the page itself where that is said."""
    types = {name: words for name in pages[0]} | {"html": html or words}
    return pa.table({name: pa.array([page[name] for page in pages], kind) for name, kind in types.items()})


def scores(run: Path) -> None:
    """Compares the two files of scores."""
    parquet = pq.ParquetFile(run / "scores.parquet")
    compared = 0
    with open(run / "scores.csv", newline="", encoding="utf-8") as lines:
        csv_rows = csv.DictReader(lines)
        for batch in parquet.iter_batches(10_000):
            for cells in batch.to_pylist():
                expected, compared = next(csv_rows, None), compared + 1
                if expected != in_words(cells):
                    raise SystemExit(f"row {compared}: {in_words(cells)} is not {expected}")
        if next(csv_rows, None) is not None:
            raise SystemExit(f"scores.csv has more than {compared} rows")
    print(f"{compared} rows of {len(parquet.schema_arrow.names)} columns are the same: {run}")


def in_words(cells: dict) -> dict[str, str]:
    """The cells of a row as scores.csv has them."""
    word = lambda cell: "" if cell is None else str(cell)
    words = {name: word(cells.pop(name)) for name in WORDS + COUNTS}
    for name in SCORES:
        exact = cells.pop(f"{name}_e12")
        rounded = None if exact is None else (exact + 500_000) // 1_000_000
        words[name] = "" if rounded is None else f"{rounded // 1_000_000}.{rounded % 1_000_000:06}"
    text = cells.pop("text")
    words["text"] = "" if text is None else text.hex()
    if cells:
        raise SystemExit(f"scores.csv has no column {', '.join(cells)}")
    return words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("rows")
    command.add_argument("count", type=int)
    command.add_argument("out", type=Path)
    command.add_argument("--group-rows", type=int, default=1_000)
    command.set_defaults(run=rows)
    command = commands.add_parser("layouts")
    command.add_argument("dataset", type=Path)
    command.add_argument("out", type=Path)
    command.set_defaults(run=layouts)
    command = commands.add_parser("scores")
    command.add_argument("run_folder", type=Path)
    command.set_defaults(run=lambda run_folder: scores(run_folder))
    arguments = vars(parser.parse_args())
    arguments.pop("run")(**arguments)


if __name__ == "__main__":
    main()
