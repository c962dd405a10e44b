# Any program that reads HTML on stdin and writes its result to stdout, as a worker of carat. Python alone is needed.
#   carat run --dataset DATASET \
#     --external 'python3 examples/external/command.py --version 3.1 --text -- pandoc -f html -t plain'
# Options: --markdown, --html or --text (the default) says what the program writes; --version is needed, because every
# score is signed with it; --name names the row. The program is started for each page. It reads and writes UTF-8, and
# finds the page's address in the variable PAGE_URL. Another exit code than 0 fails the page.
import argparse, json, os, re, subprocess, sys

usage = "command.py [--markdown | --html | --text] [--name NAME] --version TEXT -- COMMAND..."
options = argparse.ArgumentParser(usage=usage)
for kind in ["markdown", "html", "text"]:
    options.add_argument(f"--{kind}", dest="kind", action="store_const", const=kind, default="text")
options.add_argument("--name")
options.add_argument("--version", required=True)
options.add_argument("command", nargs="+")
given = options.parse_args()

out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
say = lambda message: print(json.dumps(message), file=out, flush=True)
name = re.sub(r"[^A-Za-z0-9._+-]+", "-", given.name or os.path.basename(given.command[0]))[:64]
say({"carat": 1, "name": name, "version": given.version})
for line in sys.stdin.buffer:
    page = json.loads(line)
    try:
        # A lone surrogate is no UTF-8.
        html = page["html"].encode("utf-8", "replace")
        ran = subprocess.run(given.command, input=html, capture_output=True, env=os.environ | {"PAGE_URL": page["url"]})
        sys.stderr.buffer.write(ran.stderr)
        sys.stderr.flush()
        if ran.returncode:
            told = ran.stderr.decode("utf-8", "replace").strip().splitlines()
            raise RuntimeError(f"exit code {ran.returncode}" + (f": {told[-1]}" if told else ""))
        say({"id": page["id"], given.kind: ran.stdout.decode("utf-8")})
    except Exception as error:
        say({"id": page["id"], "error": f"{type(error).__name__}: {error}"})
