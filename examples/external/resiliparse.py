# resiliparse as a worker of carat.    pip install resiliparse
#   carat run --dataset DATASET --external 'python3 examples/external/resiliparse.py'
import json, os, sys
from importlib.metadata import version

out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")  # the protocol has stdout for itself:
os.dup2(2, 1)                                                    # what libraries print goes to stderr
sys.path.pop(0)                                                  # this folder's files have the libraries' names
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

FLAGS = {"main_content": True, "alt_texts": True, "links": False, "comments": True}
say = lambda message: print(json.dumps(message), file=out, flush=True)
say({"carat": 1, "name": "resiliparse", "version": version("resiliparse"),
     "parameters": {name: {"type": "bool", "default": default} for name, default in FLAGS.items()}})
for line in sys.stdin.buffer:
    page = json.loads(line)
    try:
        tree = HTMLTree.parse(page["html"])
        say({"id": page["id"], "text": extract_plain_text(tree, **page["parameters"])})
    except Exception as error:
        say({"id": page["id"], "error": f"{type(error).__name__}: {error}"})
