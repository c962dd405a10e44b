# readability-lxml as a worker of carat.    pip install readability-lxml html_text
#   carat run --dataset DATASET --external 'python3 examples/external/readability_lxml.py'
# With `as_html` true the summary goes back as HTML, and carat renders it like every other extraction.
import json, os, sys
from importlib.metadata import version

out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")  # the protocol has stdout for itself:
os.dup2(2, 1)                                                    # what libraries print goes to stderr
sys.path.pop(0)                                                  # this folder's files have the libraries' names
import html_text
from readability import Document

say = lambda message: print(json.dumps(message), file=out, flush=True)
say({"carat": 1, "name": "readability-lxml", "version": version("readability-lxml"),
     "parameters": {"as_html": {"type": "bool", "default": False}}})
for line in sys.stdin.buffer:
    page = json.loads(line)
    try:
        summary = Document(page["html"]).summary(html_partial=True)
        as_html = page["parameters"]["as_html"]
        say({"id": page["id"]} | ({"html": summary} if as_html else {"text": html_text.extract_text(summary)}))
    except Exception as error:
        say({"id": page["id"], "error": f"{type(error).__name__}: {error}"})
