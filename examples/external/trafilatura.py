# trafilatura as a worker of carat.    pip install trafilatura
#   carat run --dataset DATASET --external 'python3 examples/external/trafilatura.py'
import json, os, sys

out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")  # the protocol has stdout for itself:
os.dup2(2, 1)                                                    # what libraries print goes to stderr
sys.path.pop(0)                                                  # this folder's files have the libraries' names
import trafilatura

FLAGS = {"include_comments": True, "include_tables": True, "favor_recall": False, "favor_precision": False}
FORMATS = {"text": "txt", "markdown": "markdown", "html": "html"}
say = lambda message: print(json.dumps(message), file=out, flush=True)
say({"carat": 1, "name": "trafilatura", "version": trafilatura.__version__,
     "parameters": {name: {"type": "bool", "default": default} for name, default in FLAGS.items()} | {
         "reply": {"type": "enum", "values": list(FORMATS), "default": "text"}}})
for line in sys.stdin.buffer:
    page = json.loads(line)
    try:
        reply = page["parameters"].pop("reply")
        found = trafilatura.extract(page["html"], output_format=FORMATS[reply], **page["parameters"])
        say({"id": page["id"], reply: found or ""})
    except Exception as error:
        say({"id": page["id"], "error": f"{type(error).__name__}: {error}"})
