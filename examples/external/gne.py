# GNE as a worker of carat.    pip install gne
#   carat run --dataset DATASET --external 'python3 examples/external/gne.py'
import json, os, sys
from importlib.metadata import version

out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")  # the protocol has stdout for itself:
os.dup2(2, 1)                                                    # what libraries print goes to stderr
sys.path.pop(0)                                                  # this folder's files have the libraries' names
from gne import GeneralNewsExtractor

say = lambda message: print(json.dumps(message), file=out, flush=True)
say({"carat": 1, "name": "gne", "version": version("gne")})
for line in sys.stdin.buffer:
    page = json.loads(line)
    try:
        say({"id": page["id"], "text": GeneralNewsExtractor().extract(page["html"])["content"]})
    except Exception as error:
        say({"id": page["id"], "error": f"{type(error).__name__}: {error}"})
