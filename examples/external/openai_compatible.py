# Any server that speaks OpenAI's protocol (`/chat/completions`) as a worker of carat. Python alone is needed.
#   carat run --dataset DATASET --external '{timeout_s: 600, command: [python3, examples/external/openai_compatible.py,
#     --base-url=https://api.openai.com/v1, --model=NAME, --prompt=examples/external/openai_prompt.txt,
#     --cache=answers.jsonl, --totals=totals.json]}'
# The prompt is a file with {html} and, if wanted, {url}. The key is read from the variable OPENAI_API_KEY and written
# nowhere. Set it in your shell: what stands under `env` in a configuration is kept in the run folder.
# The cache holds every answer, so a second run costs nothing and repeats exactly. The totals are the sum over all runs
# that name the same file. --help says more.
import argparse, hashlib, http.client, json, os, re, sys, time, urllib.error, urllib.request
from decimal import Decimal

VERSION = "1"
PARAMETERS = {
    "max_chars": {"type": "int", "min": 1, "max": 100_000_000, "default": 400_000},  # what is behind them is not sent
    "strip_scripts": {"type": "bool", "default": True},                 # scripts, styles and comments are not sent
}


def arguments():
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    add = parser.add_argument
    add("--base-url", default=os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1"),
        help="address of the server; also in OPENAI_BASE_URL")
    add("--model", required=True)
    add("--prompt", required=True, help="file with the prompt, in which {html} and {url} stand for the page")
    add("--name", help="name of the row; without it, the model's")
    for kind in ["markdown", "html", "text"]:
        add(f"--{kind}", dest="kind", action="store_const", const=kind, default="markdown",
            help=f"read answers as {kind}")
    add("--key-variable", default="OPENAI_API_KEY", help="environment variable that holds the key")
    add("--seed", type=int, default=0, help="sent unless the server refuses seeds")
    add("--max-tokens", type=int, help="longest answer; a longer one is an error of its page")
    add("--extra", type=json.loads, default={}, help="JSON object: more members of the request; null leaves one out")
    add("--timeout", type=float, default=60, help="seconds that the server may be silent")
    add("--retries", type=int, default=4, help="further tries after 429, 5xx and broken connections")
    add("--backoff", type=float, default=1, help="seconds before the second try; doubled before each further one")
    add("--cache", help="file of the answers, made if it is not there")
    add("--totals", help="file of the numbers of tokens, made if it is not there")
    add("--input-price", type=Decimal, default=0, help="price of a million tokens of prompts, for the totals' cost")
    add("--output-price", type=Decimal, default=0, help="price of a million tokens of answers, for the totals' cost")
    given = parser.parse_args()
    if not given.base_url.startswith(("http://", "https://")):
        parser.error(f"--base-url {given.base_url}: an address begins with http:// or https://")
    return given


class Locked:
    """A file that several workers may share."""

    def __init__(self, path):
        self.file = open(path, "a+b")

    def __enter__(self):
        try:
            import fcntl
            fcntl.flock(self.file, fcntl.LOCK_EX)
        except ImportError:
            pass  # Windows
        self.file.seek(0)
        return self.file

    def __exit__(self, *_):
        self.file.close()  # flushes, and ends the lock


class Cache:
    """Answers by the digest of what was asked: a JSON object per line."""

    def __init__(self, path):
        self.path, self.answers = path, {}
        if path:
            with Locked(path) as file:
                for line in file.read().splitlines():
                    try:
                        answer = json.loads(line)
                        self.answers[answer.pop("key")] = answer
                    except (ValueError, KeyError):
                        print(f"{path}: a damaged line is left out, and its page asked again", file=sys.stderr)

    def keep(self, key, answer):
        self.answers[key] = answer
        if self.path:
            with Locked(self.path) as file:
                end = file.seek(0, os.SEEK_END)
                file.seek(max(end - 1, 0))
                start = b"" if file.read() in (b"", b"\n") else b"\n"  # who was killed may have left half a line
                file.write(start + json.dumps({"key": key} | answer).encode() + b"\n")


class Totals:
    """Numbers of this process, also added to a file, which other processes and runs may add to."""

    NAMES = ["asked", "prompt_tokens", "completion_tokens", "answers_without_usage", "truncated", "pages_cut",
             "retries", "from_cache", "prompt_tokens_from_cache", "completion_tokens_from_cache"]

    def __init__(self, path):
        self.path, self.own = path, self.sum({}, {})

    def add(self, **numbers):
        self.own = self.sum(self.own, numbers)
        if self.path:
            with Locked(self.path) as file:
                old = file.read()
                new = self.sum(json.loads(old) if old.strip() else {}, numbers)
                file.truncate(0)
                file.write(json.dumps(new, indent=2).encode() + b"\n")

    def sum(self, one, other):
        cost = Decimal(one.get("cost", "0")) + Decimal(other.get("cost", "0"))
        counts = {name: one.get(name, 0) + other.get(name, 0) for name in self.NAMES}
        return counts | {"cost": format(cost, "f")}


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None  # urllib would send the key along to another host


class Server:
    def __init__(self, given, totals):
        self.given, self.totals = given, totals
        self.key = os.environ.get(given.key_variable, "").strip()
        if not re.fullmatch("[!-~]*", self.key):
            sys.exit(f"the key in {given.key_variable} has characters that no key has")
        self.opener = urllib.request.build_opener(NoRedirects)
        self.refuses_seeds = False

    def secret(self, text):
        """The text without the key, should the server repeat it."""
        return text.replace(self.key, "[key]") if self.key else text

    def ask(self, body):
        """What the server answers, as an object. It is asked again after what may pass."""
        tries, wait = 0, self.given.backoff
        while True:
            try:
                return self.post(body)
            except urllib.error.HTTPError as error:
                told = self.secret(error.read(10_000).decode("utf-8", "replace"))
                if error.code in (400, 422) and "seed" in told and "seed" in body and not self.refuses_seeds:
                    self.refuses_seeds = True
                    print("the server takes no seed, so it gets none", file=sys.stderr)
                    continue
                reason = f"HTTP {error.code}: " + " ".join(told.split())[:300]
                if error.code != 429 and error.code < 500:
                    raise RuntimeError(reason) from None
                asked_for = error.headers.get("Retry-After", "")
                pause = max(wait, min(float(asked_for), 60)) if re.fullmatch(r"[0-9]{1,9}", asked_for) else wait
            except (OSError, http.client.HTTPException) as error:  # no connection, a broken one, or silence
                reason, pause = self.secret(f"{type(error).__name__}: {error}"), wait
            if tries == self.given.retries:
                raise RuntimeError(f"{reason} (after {tries + 1} tries)")
            tries, wait = tries + 1, wait * 2
            self.totals.add(retries=1)
            print(f"{reason}; tries again in {pause:g} s", file=sys.stderr, flush=True)
            time.sleep(pause)

    def post(self, body):
        headers = {"Content-Type": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        if self.refuses_seeds:
            body = {name: value for name, value in body.items() if name != "seed"}
        url = self.given.base_url.rstrip("/") + "/chat/completions"
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        with self.opener.open(request, timeout=self.given.timeout) as response:
            return json.load(response)


OPENING = re.compile(r"<(script|style)(?=[\s/>])|<!--", re.IGNORECASE)
CLOSING = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ["script", "style"]}


def without_scripts(html):
    """The HTML without scripts, styles and comments; one that does not end goes on to the end of the page."""
    parts, at = [], 0
    while opening := OPENING.search(html, at):
        parts.append(html[at:opening.start()])
        if opening[1]:
            closing = CLOSING[opening[1].lower()].search(html, opening.end())
            end = html.find(">", closing.end()) + 1 if closing else 0
        else:
            end = html.find("-->", opening.end() - 2) + 3
            end = end if end >= opening.end() else 0
        if not end:
            return "".join(parts)
        at = end
    return "".join(parts) + html[at:]


class Worker:
    def __init__(self, given):
        self.given = given
        with open(given.prompt, encoding="utf-8") as file:
            self.prompt = file.read()
        if "{html}" not in self.prompt:
            sys.exit(f"{given.prompt}: the prompt must hold {{html}}, which stands for the page")
        for path in [given.cache, given.totals]:
            if path:
                open(path, "ab").close()
                os.utime(path)  # carat takes a file that its worker has written for no part of the program
        self.totals = Totals(given.totals)
        self.cache, self.server = Cache(given.cache), Server(given, self.totals)

    def hello(self):
        digest = hashlib.sha256(self.prompt.encode()).hexdigest()
        name = re.sub(r"[^A-Za-z0-9._+-]+", "-", self.given.name or self.given.model)[:64]
        version = f"{VERSION} model {self.given.model} prompt {digest[:16]}"
        return {"carat": 1, "name": name, "version": version, "parameters": PARAMETERS}

    def content(self, page):
        """What is sent of the page, in its prompt, and whether the page is cut."""
        parameters = page["parameters"]
        html = without_scripts(page["html"]) if parameters["strip_scripts"] else page["html"]
        values = {"{html}": html[:parameters["max_chars"]], "{url}": page["url"]}
        # In one pass, so that a page that has {url} in it stays as it is.
        content = re.sub(r"\{html\}|\{url\}", lambda found: values[found[0]], self.prompt)
        return content, len(html) > parameters["max_chars"]

    def answer(self, page):
        content, is_cut = self.content(page)
        body = {"model": self.given.model, "messages": [{"role": "user", "content": content}], "temperature": 0,
                "seed": self.given.seed, "max_tokens": self.given.max_tokens} | self.given.extra
        body = {name: value for name, value in body.items() if value is not None}
        asked = json.dumps([self.given.base_url, body], sort_keys=True)
        key = hashlib.sha256(asked.encode()).hexdigest()
        answer = self.cache.answers.get(key)
        if answer:
            prompt, completion = tokens(answer)
            self.totals.add(from_cache=1, prompt_tokens_from_cache=prompt, completion_tokens_from_cache=completion)
        else:
            answer = read(self.server.ask(body))
            self.cache.keep(key, answer)
            self.count(answer, is_cut)
        return text(answer)

    def count(self, answer, is_cut):
        prompt, completion = tokens(answer)
        cost = (self.given.input_price * prompt + self.given.output_price * completion) / Decimal(1_000_000)
        self.totals.add(asked=1, prompt_tokens=prompt, completion_tokens=completion, cost=str(cost),
                        answers_without_usage=int(not answer["usage"]), pages_cut=int(is_cut),
                        truncated=int(answer["finish_reason"] == "length"))


def read(reply):
    """What is kept of the server's reply."""
    choice = (reply.get("choices") or [{}])[0]
    message = choice.get("message") or {}
    answer = {"model": reply.get("model"), "finish_reason": choice.get("finish_reason"),
              "content": message.get("content"), "refusal": message.get("refusal"), "usage": reply.get("usage")}
    is_answer = isinstance(answer["content"], str) or answer["refusal"] or answer["finish_reason"] == "length"
    if not is_answer or answer["finish_reason"] == "error":
        raise RuntimeError(f"the server's reply has no answer: {json.dumps(reply)[:300]}")
    return answer


def tokens(answer):
    usage = answer["usage"] or {}
    return usage.get("prompt_tokens") or 0, usage.get("completion_tokens") or 0


def text(answer):
    """The text of an answer that is whole."""
    if answer["finish_reason"] == "length":
        raise RuntimeError("the answer is cut at the longest length (finish_reason length)")
    if answer["finish_reason"] == "content_filter":
        raise RuntimeError("the server's filter has cut the answer (finish_reason content_filter)")
    if answer["refusal"]:
        raise RuntimeError(f"the model refuses: {answer['refusal'][:300]}")
    return answer["content"]


def main():
    worker = Worker(arguments())
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")  # the protocol has stdout for itself
    os.dup2(2, 1)
    say = lambda message: print(json.dumps(message), file=out, flush=True)
    say(worker.hello())
    for line in sys.stdin.buffer:
        page = json.loads(line)
        try:
            say({"id": page["id"], worker.given.kind: worker.answer(page)})
        except Exception as error:
            say({"id": page["id"], "error": worker.server.secret(f"{type(error).__name__}: {error}")})
    told = ", ".join(f"{name} {number}" for name, number in worker.totals.own.items())
    print(f"totals of this worker: {told}", file=sys.stderr)


main()
