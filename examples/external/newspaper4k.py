# newspaper4k as a worker of carat.    pip install newspaper4k
#   carat run --dataset DATASET --external 'python3 examples/external/newspaper4k.py'
# It reads the given HTML and fetches nothing. Pages in Chinese, Japanese, Korean and others need more packages:
# pip install 'newspaper4k[all]'
import json, os, sys

out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")  # the protocol has stdout for itself:
os.dup2(2, 1)                                                    # what libraries print goes to stderr
sys.path.pop(0)                                                  # this folder's files have the libraries' names
from importlib.metadata import version
import newspaper

say = lambda message: print(json.dumps(message), file=out, flush=True)
say({"carat": 1, "name": "newspaper4k", "version": version("newspaper4k"), "parameters": {
    # With `html` the article goes back as HTML, and carat renders it like every other extraction.
    "reply": {"type": "enum", "values": ["text", "html"], "default": "text"},
    # A code such as `en`. Empty: the language that the page states, else English.
    "language": {"type": "string", "default": ""}}})
for line in sys.stdin.buffer:
    page = json.loads(line)
    try:
        reply, language = page["parameters"]["reply"], page["parameters"]["language"] or None
        # Images are measured over the network, so they are left out. No text or HTML depends on them.
        article = newspaper.Article(page["url"] or "http://localhost/", language=language, fetch_images=False)
        article.download(input_html=page["html"] or " ", ignore_read_more=True).parse()
        say({"id": page["id"], reply: article.article_html if reply == "html" else article.text})
    except Exception as error:
        say({"id": page["id"], "error": f"{type(error).__name__}: {error}"})
