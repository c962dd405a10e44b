# MinerU-HTML as a worker of carat.    pip install mineru_html 'selectolax<1'    (and vllm, or openai and nest_asyncio)
#   carat run --dataset DATASET --external '{command: [python3, examples/external/mineru_html.py], timeout_s: 600,
#                                           start_timeout_s: 600}'
# The package fetches its model of 0.5 billion parameters when it starts, or reads the folder in --model FOLDER.
# --backend transformers (the default), vllm, or openai: then --model NAME and --base-url URL name a server that speaks
# OpenAI's protocol, and the key is in the variable OPENAI_API_KEY.
# A page that the model gives no usable answer for is a failed page: the package's fallback, trafilatura, is not asked.
import argparse, json, os, sys
from importlib.metadata import version

options = argparse.ArgumentParser()
options.add_argument("--backend", choices=["transformers", "vllm", "openai"], default="transformers")
options.add_argument("--model")
options.add_argument("--base-url")
given = options.parse_args()

out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")  # the protocol has stdout for itself:
os.dup2(2, 1)                                                    # what libraries print goes to stderr
sys.path.pop(0)                                                  # this folder's files have the libraries' names
import mineru_html
from mineru_html.base import DEFALUT_MODEL, MinerUHTMLInput      # the package spells it so

if given.backend == "openai":
    config = mineru_html.MinerUHTMLConfig(prompt_version="v2", response_format="json", use_fall_back="empty")
    key = os.environ.get("OPENAI_API_KEY", "none")
    extractor = mineru_html.MinerUHTML_OpenAI(given.base_url, key, given.model, config=config)
else:
    config = mineru_html.MinerUHTMLConfig(use_fall_back="empty")
    kind = mineru_html.MinerUHTML if given.backend == "vllm" else mineru_html.MinerUHTML_Transformers
    extractor = kind(model_path=given.model, config=config)

say = lambda message: print(json.dumps(message), file=out, flush=True)
versions = f"{version('mineru_html')} converter {version('mineru-webkit')} model {given.model or DEFALUT_MODEL}"
say({"carat": 1, "name": "mineru-html", "version": versions,
     # `html`: the chosen part of the page, before the package turns it into Markdown. carat renders it.
     "parameters": {"reply": {"type": "enum", "values": ["markdown", "html", "text"], "default": "markdown"}}})
for line in sys.stdin.buffer:
    page = json.loads(line)
    try:
        case = extractor.process(MinerUHTMLInput(raw_html=page["html"], url=page["url"]))[0]
        if case.error:  # its own text has a random number
            raise RuntimeError(f"{type(case.error).__name__}: {getattr(case.error, 'message', case.error)}")
        reply = page["parameters"]["reply"]
        say({"id": page["id"], reply: case.output_data.main_html if reply == "html" else case.output_data.main_content})
    except Exception as error:
        say({"id": page["id"], "error": f"{type(error).__name__}: {error}"})
