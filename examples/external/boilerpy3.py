# boilerpy3 as a worker of carat.    pip install boilerpy3
#   carat run --dataset DATASET --external 'python3 examples/external/boilerpy3.py'
import json, os, sys
from importlib.metadata import version

out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")  # the protocol has stdout for itself:
os.dup2(2, 1)                                                    # what libraries print goes to stderr
sys.path.pop(0)                                                  # this folder's files have the libraries' names
from boilerpy3 import extractors

KINDS = {"article": "ArticleExtractor", "default": "DefaultExtractor", "num-words": "NumWordsRulesExtractor"}
say = lambda message: print(json.dumps(message), file=out, flush=True)
say({"carat": 1, "name": "boilerpy3", "version": version("boilerpy3"),
     "parameters": {"extractor": {"type": "enum", "values": list(KINDS), "default": "article"}}})
for line in sys.stdin.buffer:
    page = json.loads(line)
    try:
        extractor = getattr(extractors, KINDS[page["parameters"]["extractor"]])()
        say({"id": page["id"], "text": extractor.get_content(page["html"])})
    except Exception as error:
        say({"id": page["id"], "error": f"{type(error).__name__}: {error}"})
