"""A WARC file as warcio records it from a server, and a run of it beside the run of the same pages in a folder.

    pip install warcio requests brotli zstandard
    python3 examples/studies/warc_files.py DATASET OUT CARAT

DATASET is in carat's own format, and its pages are not packed (`carat dataset import .. --set compress=none`).
A server on this machine gives its pages: as they are, in chunks, and packed by gzip, deflate, br and zstd in turn. warcio
records the answers in OUT/pages.warc.gz; a second file, OUT/broken/broken.warc.gz, holds the first one cut in the middle of
a record, behind records that are no pages. OUT/gold.jsonl has the golds by address.

CARAT, the program, runs both. What each row came to must be equal page by page: the counts and the digest of its text.
"""

import argparse
import csv
import gzip
import io
import json
import subprocess
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from warcio.capture_http import capture_http
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

import brotli
import requests
import zstandard

ENCODINGS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}
WAYS = ["plain", "chunked", *ENCODINGS]
# Rows that read neither language nor site: a WARC file states none.
ROWS = ["all-text", "nta", "cetd"]


class Pages(BaseHTTPRequestHandler):
    """Serves /NUMBER in the way that stands in the list at NUMBER, page after page."""

    protocol_version = "HTTP/1.1"
    pages: list[bytes] = []

    def do_GET(self) -> None:
        number = int(self.path.strip("/"))
        body, way = self.pages[number], WAYS[number % len(WAYS)]
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        if way in ENCODINGS:
            body = ENCODINGS[way](body)
            self.send_header("Content-Encoding", way)
        if way == "chunked":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for first in range(0, len(body), 1_000):
                part = body[first : first + 1_000]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.write(b"0\r\n\r\n")
            return
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def record(records: list[dict], dataset: Path, out: Path) -> None:
    """Writes OUT/pages.warc.gz and OUT/gold.jsonl."""
    Pages.pages = [(dataset / record["html"]["path"]).read_bytes() for record in records]
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    session = requests.Session()
    with capture_http(str(out / "pages.warc.gz")):
        for number in range(len(records)):
            session.get(f"{address}/{number}", headers={"Accept-Encoding": ", ".join(ENCODINGS)}).raise_for_status()
    server.shutdown()
    with (out / "gold.jsonl").open("w", encoding="utf-8") as golds:
        for number, record in enumerate(records):
            gold = (dataset / record["gold"]["path"]).read_text(encoding="utf-8")
            golds.write(json.dumps({"url": f"{address}/{number}", "gold": gold}) + "\n")


def broken(out: Path) -> None:
    """Writes OUT/broken/broken.warc.gz: records that are no pages, and the others cut in the middle of one."""
    whole = (out / "pages.warc.gz").read_bytes()
    others = io.BytesIO()
    writer = WARCWriter(others, gzip=True)
    for status, kind in [("404 Not Found", "text/html"), ("200 OK", "image/png")]:
        headers = StatusAndHeaders(status, [("Content-Type", kind)], protocol="HTTP/1.1")
        answer = writer.create_warc_record("http://x/", "response", payload=io.BytesIO(b"<p>x"), http_headers=headers)
        writer.write_record(answer)
    (out / "broken").mkdir(exist_ok=True)
    (out / "broken" / "broken.warc.gz").write_bytes(others.getvalue() + whole[: len(whole) // 2])


def scores(program: str, dataset: str, run: Path, *options: str) -> list[tuple[str, ...]]:
    """What each row came to on each page of a run, without the pages' names."""
    rows = [option for row in ROWS for option in ("--algorithm", row)]
    command = [program, "run", "--dataset", dataset, *rows, "--bounds", "none", "--out", str(run), *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    columns = ["algorithm", "matched", "extracted", "gold", "status", "text"]
    with (run / "scores.csv").open(encoding="utf-8", newline="") as lines:
        return sorted(tuple(line[column] for column in columns) for line in csv.DictReader(lines))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("program")
    arguments = parser.parse_args()
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    with (arguments.dataset / "pages.jsonl").open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    record(records, arguments.dataset, out)
    broken(out)
    folder = scores(arguments.program, str(arguments.dataset), out / "run-folder")
    warc = scores(arguments.program, f"warc:{out}/pages.warc.gz,gold={out}/gold.jsonl", out / "run-warc")
    cut = scores(arguments.program, f"warc:{out}/broken,gold={out}/gold.jsonl", out / "run-broken", "--keep-going")
    print(f"{len(records)} pages: the WARC file {'equals' if warc == folder else 'DIFFERS FROM'} the folder")
    print(f"cut in the middle: {len(cut) // len(ROWS)} pages, {'all' if set(cut) <= set(folder) else 'NOT all'} as in the folder")


if __name__ == "__main__":
    main()
