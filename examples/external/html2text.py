# Python's html2text as a worker of carat.    pip install html2text
#   carat run --dataset DATASET --external 'python3 examples/external/html2text.py'
# It turns the whole page into Markdown, without links and images, as WebMainBench does.
# Behind `--` it may get another worker, whose HTML it turns into Markdown in the same way:
#   --external '{command: [python3, examples/external/html2text.py, --, python3, examples/external/readability_lxml.py],
#                parameters: {as_html: true}}'
import json, os, subprocess, sys
from importlib.metadata import version

out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")  # the protocol has stdout for itself:
os.dup2(2, 1)                                                    # what libraries print goes to stderr
sys.path.pop(0)                                                  # this folder's files have the libraries' names
from html2text import HTML2Text

say = lambda message: print(json.dumps(message), file=out, flush=True)


def markdown(html, url):
    converter = HTML2Text(bodywidth=0, baseurl=url)  # a new one per page: it keeps state of the page before
    converter.ignore_links = converter.ignore_images = True
    return converter.handle(html)


hello = {"carat": 1, "name": "html2text", "version": version("html2text"), "parameters": {
    "reply": {"type": "enum", "values": ["markdown", "text"], "default": "markdown"}}}  # `text`: read as plain text
inner = None
if "--" in sys.argv:
    command = sys.argv[sys.argv.index("--") + 1:]
    inner = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    hello = json.loads(inner.stdout.readline() or sys.exit(f"{command[0]} says no hello"))
    hello["name"] += "+html2text"
    hello["version"] += " html2text " + version("html2text")
say(hello)
for line in sys.stdin.buffer:
    page = json.loads(line)
    try:
        if not inner:
            say({"id": page["id"], page["parameters"]["reply"]: markdown(page["html"], page["url"])})
            continue
        inner.stdin.write(line)
        inner.stdin.flush()
        answer = json.loads(inner.stdout.readline() or sys.exit(f"{command[0]} has ended"))
        if "html" in answer:
            answer["markdown"] = markdown(answer.pop("html"), page["url"])
        elif "error" not in answer:
            answer = {"id": page["id"], "error": "the other worker answered with no HTML"}
        say(answer)
    except Exception as error:
        say({"id": page["id"], "error": f"{type(error).__name__}: {error}"})
