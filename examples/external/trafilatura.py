# trafilatura as a worker of carat.    pip install trafilatura
#   carat run --dataset DATASET --external 'python3 examples/external/trafilatura.py'
import json, os, sys

out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")  # the protocol has stdout for itself:
os.dup2(2, 1)                                                    # what libraries print goes to stderr
sys.path.pop(0)                                                  # this folder's files have the libraries' names
import trafilatura

FLAGS = {"include_comments": True, "include_tables": True, "favor_recall": False, "favor_precision": False}
say = lambda message: print(json.dumps(message), file=out, flush=True)
say({"carat": 1, "name": "trafilatura", "version": trafilatura.__version__,
     "parameters": {name: {"type": "bool", "default": default} for name, default in FLAGS.items()}})
for line in sys.stdin.buffer:
    page = json.loads(line)
    try:
        say({"id": page["id"], "text": trafilatura.extract(page["html"], **page["parameters"]) or ""})
    except Exception as error:
        say({"id": page["id"], "error": f"{type(error).__name__}: {error}"})
