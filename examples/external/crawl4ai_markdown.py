# crawl4ai's Markdown generator as a worker of carat.    pip install crawl4ai
#   carat run --dataset DATASET --external 'python3 examples/external/crawl4ai_markdown.py'
# It cleans and converts the given HTML as crawl4ai's crawler does, but starts no browser and fetches nothing.
import json, os, re, sys

out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")  # the protocol has stdout for itself:
os.dup2(2, 1)                                                    # what libraries print goes to stderr
sys.path.pop(0)                                                  # this folder's files have the libraries' names
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")    # otherwise a dependency fetches a table of prices
from importlib.metadata import version
from crawl4ai import CrawlerRunConfig, DefaultMarkdownGenerator, LXMLWebScrapingStrategy, PruningContentFilter

say = lambda message: print(json.dumps(message), file=out, flush=True)


def markdown(html, url, parameters):
    if parameters["source"] == "cleaned_html":
        settings = vars(CrawlerRunConfig(verbose=False)) | {"url": url}
        cleaned = LXMLWebScrapingStrategy().scrap(html=html, **settings)
        html_to_convert = cleaned.cleaned_html
    else:
        html_to_convert = html
    prunes = parameters["filter"] == "pruning"
    generator = DefaultMarkdownGenerator(content_filter=PruningContentFilter() if prunes else None, options={
        "ignore_links": parameters["ignore_links"], "ignore_images": parameters["ignore_images"]})
    base = re.search(r"""<base\s[^>]*href\s*=\s*["']([^"']+)["']""", html, re.IGNORECASE)
    made = generator.generate_markdown(html_to_convert, base_url=base[1] if base else url)
    text = made.fit_markdown if prunes else made.raw_markdown
    # The generator puts its failures into the Markdown.
    failure = re.match("Error (?:converting HTML to|generating fit|in) markdown(?: generation)?: .*", text)
    if failure:
        raise ValueError(failure[0])
    return text


say({"carat": 1, "name": "crawl4ai-markdown", "version": version("crawl4ai"), "parameters": {
    "reply": {"type": "enum", "values": ["markdown", "text"], "default": "markdown"},  # `text`: read as plain text
    "source": {"type": "enum", "values": ["cleaned_html", "raw_html"], "default": "cleaned_html"},
    "filter": {"type": "enum", "values": ["none", "pruning"], "default": "none"},  # `pruning`: crawl4ai's fit_markdown
    "ignore_links": {"type": "bool", "default": False},
    "ignore_images": {"type": "bool", "default": False}}})
for line in sys.stdin.buffer:
    page = json.loads(line)
    try:
        text = markdown(page["html"], page["url"], page["parameters"])
        say({"id": page["id"], page["parameters"]["reply"]: text})
    except Exception as error:
        say({"id": page["id"], "error": f"{type(error).__name__}: {error}"})
