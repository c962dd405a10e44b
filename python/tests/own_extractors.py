"""Extractors that tests ask in processes of their own."""

import os
import time

import carat


def paragraphs(html: str) -> str:
    return "\n".join(part.split("</p>")[0] for part in html.split("<p>")[1:])


@carat.extractor(version="1", parameters={"least": 1})
def long_ones(html, *, least):
    return "\n".join(text for text in paragraphs(html).split("\n") if len(text) >= least)


@carat.extractor
def sometimes_ends(html: str) -> str:
    if "OVER" in html:
        os._exit(3)
    return paragraphs(html)


@carat.extractor
def sometimes_hangs(html: str) -> str:
    if "OVER" in html:
        time.sleep(600)
    return paragraphs(html)


@carat.extractor
def sometimes_hungry(html: str) -> str:
    if "OVER" in html:
        return "x" * len(bytearray(4 << 30))
    return paragraphs(html)


@carat.extractor
def sometimes_raises(html: str) -> str:
    if "OVER" in html:
        raise ValueError("no")
    return paragraphs(html)
