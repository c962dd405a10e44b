"""A stand-in for a server that speaks OpenAI's protocol, for tests: prints its port, and ends when its input does.

It answers 429 and then 500 before its first answer. Each answer is the text behind the prompt's first line. It writes a
line per request to the file that it is given, and the key nowhere but into the refusal of a page with BAD-KEY.
"""

import http.server
import json
import re
import sys
import threading

LOG = sys.argv[1]
asked = 0


def reply(body, key):
    """The status and the JSON for a request."""
    page = body["messages"][0]["content"].partition("\n")[2]
    if asked == 1:
        return 429, {"error": {"message": "too many requests"}}
    if asked == 2:
        return 500, {"error": {"message": "overloaded"}}
    if "BAD-KEY" in page:
        return 401, {"error": {"message": f"the key {key} may not read this page"}}
    if "seed" in body and body["model"] == "seedless":
        return 400, {"error": {"message": "unknown parameter: seed"}}
    text = " ".join(re.sub("<[^>]*>", " ", page).split())
    choice = {"finish_reason": "length" if "LONG" in page else "stop", "message": {"role": "assistant", "content": text}}
    return 200, {"model": body["model"], "choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        global asked
        asked += 1
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers.get("Authorization", "")
        status, answer = reply(body, key)
        with open(LOG, "a", encoding="utf-8") as log:
            told = {"status": status, "path": self.path, "key_length": len(key), "request": body}
            log.write(json.dumps(told) + "\n")
        answer = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
