"""Makes a dataset of many pages for measurements: the pages of a dataset under new ids, on 2 000 made sites, or `--sites N`.

    python3 examples/studies/many_pages.py datasets/portals 1000000 OUT

The page list names the files of the dataset again and again, so that a million pages are no million files. A run reads, parses
and scores each of them as any other page. With `--warc`, OUT is a folder with one WARC file of gzip members and the golds as a
table, for `carat run --dataset warc:OUT/pages.warc.gz --set gold=golds.jsonl`. With `--sites 0` no page has a site, so that each is
one of its own.
"""

import argparse
import json
import os
import shutil
import struct
import zlib
from pathlib import Path


def pages(dataset: Path) -> list[dict]:
    """The lines of the page list, each with the bytes of its page and its gold."""
    manifest = (dataset / "dataset.yaml").read_text(encoding="utf-8")
    golds = next((line.split(":", 1)[1].strip() for line in manifest.splitlines() if line.startswith("gold_folder:")), ".")
    known = []
    for line in (dataset / "pages.jsonl").read_text(encoding="utf-8").splitlines():
        page = json.loads(line)
        page["page"] = (dataset / page["html"]).read_bytes()
        page["text"] = (dataset / golds / page["gold"]).read_text(encoding="utf-8")
        known.append(page)
    return known


def folder(known: list[dict], count: int, sites: int, out: Path) -> None:
    """A dataset in carat's own format."""
    for part in ("pages", "gold"):
        (out / part).mkdir(parents=True)
    for page in known:
        (out / "pages" / f"{page['id']}.html").write_bytes(page["page"])
        (out / "gold" / f"{page['id']}.txt").write_text(page["text"], encoding="utf-8", newline="")
    (out / "dataset.yaml").write_text(
        f"format: 1\nname: many\nversion: '1'\ntitle: Many pages\ndescription: Pages under new ids.\n"
        f"licence: {{data: CC0-1.0, pages: CC0-1.0, redistribution: free}}\ngold_folder: gold\npages: [pages.jsonl]\n"
        f"gold: {{nature: human, verbatim: true, ordered: true}}\n",
        encoding="utf-8",
    )
    with open(out / "pages.jsonl", "w", encoding="utf-8") as lines:
        for number in range(count):
            page = known[number % len(known)]
            line = {
                "id": f"p{number:08}",
                "html": f"pages/{page['id']}.html",
                "gold": f"{page['id']}.txt",
                "language": page["language"],
                "kind": page["kind"],
            }
            if sites:
                line["site"] = f"s{number * 7919 % sites}.example"
            lines.write(json.dumps(line) + "\n")


def member(head: bytes, body: bytes, packed: bytes) -> bytes:
    """A gzip member of a head, stored, and a body that is packed already."""
    stored = b"\0" + struct.pack("<HH", len(head), len(head) ^ 0xFFFF) + head
    end = struct.pack("<II", zlib.crc32(body, zlib.crc32(head)), len(head) + len(body))
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + stored + packed + end


def warc(known: list[dict], count: int, sites: int, out: Path) -> None:
    """A WARC file and a table of golds."""
    out.mkdir(parents=True)
    blocks = []
    for page in known:
        block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page["page"]
        packer = zlib.compressobj(6, zlib.DEFLATED, -15)
        body = block + b"\r\n\r\n"
        blocks.append((len(block), body, packer.compress(body) + packer.flush()))
    with open(out / "pages.warc.gz", "wb") as archive, open(out / "golds.jsonl", "w", encoding="utf-8") as golds:
        for number in range(count):
            length, body, packed = blocks[number % len(blocks)]
            head = (
                "WARC/1.0\r\nWARC-Type: response\r\n"
                f"WARC-Record-ID: <p{number:08}>\r\n"
                f"WARC-Target-URI: http://s{number * 7919 % sites}.example/{number}\r\n"
                "WARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n"
                f"Content-Length: {length}\r\n\r\n"
            )
            archive.write(member(head.encode(), body, packed))
            golds.write(json.dumps({"id": f"p{number:08}", "gold": known[number % len(known)]["text"]}) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset", type=Path)
    parser.add_argument("pages", type=int)
    parser.add_argument("out", type=Path)
    parser.add_argument("--sites", type=int, default=2_000)
    parser.add_argument("--warc", action="store_true")
    arguments = parser.parse_args()
    if arguments.warc and not arguments.sites:
        parser.error("--sites 0 is for a folder: the pages of a WARC file have addresses")
    if arguments.out.exists():
        shutil.rmtree(arguments.out)
    make = warc if arguments.warc else folder
    make(pages(arguments.dataset), arguments.pages, arguments.sites, arguments.out)
    size = sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(arguments.out) for name in names)
    print(f"{arguments.pages} pages, {size / 1e9:.2f} GB: {arguments.out}")


if __name__ == "__main__":
    main()
