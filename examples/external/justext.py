# jusText as a worker of carat.    pip install jusText
#   carat run --dataset DATASET --external 'python3 examples/external/justext.py'
import json, os, sys
from importlib.metadata import version

out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")  # the protocol has stdout for itself:
os.dup2(2, 1)                                                    # what libraries print goes to stderr
sys.path.pop(0)                                                  # this folder's files have the libraries' names
import justext

say = lambda message: print(json.dumps(message), file=out, flush=True)
say({"carat": 1, "name": "jusText", "version": version("jusText"), "parameters": {
    # A name of justext.get_stoplists(); `none`: no list, the language-independent mode.
    "stoplist": {"type": "string", "default": "English"},
    "max_link_density": {"type": "decimal", "min": "0", "max": "1", "default": "0.2"}}})
for line in sys.stdin.buffer:
    page = json.loads(line)
    try:
        name, density = page["parameters"]["stoplist"], float(page["parameters"]["max_link_density"])
        options = {"stopwords_low": 0, "stopwords_high": 0} if name == "none" else {}
        words = frozenset() if name == "none" else justext.get_stoplist(name)
        found = justext.justext(page["html"], words, max_link_density=density, **options)
        say({"id": page["id"], "text": "\n".join(part.text for part in found if not part.is_boilerplate)})
    except Exception as error:
        say({"id": page["id"], "error": f"{type(error).__name__}: {error}"})
