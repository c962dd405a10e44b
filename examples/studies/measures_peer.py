"""Times what others use in Python for the measures of carat, on the same pairs.

    cargo bench -p carat-core --bench measures -- --every 20 --pairs pairs.jsonl
    pip install rouge-score rapidfuzz apted
    python3 examples/studies/measures_peer.py pairs.jsonl [RULE...]

Tokens are ready before the clock runs, as in the bench. Each line names the rule of carat whose counts the other program
computes, with the sum of all matched tokens where both count the same. CPU time of this process is taken.
"""

import difflib
import json
import sys
import time

from apted import APTED, Config
from apted.helpers import Tree
from rapidfuzz.distance import LCSseq, Levenshtein
from rouge_score import rouge_scorer


class Words:
    """A tokenizer of rouge_score: the texts are lists of tokens already."""

    def tokenize(self, text):
        return text.split()


def pairs_of(lines, cut):
    for line in lines:
        gold = cut(line["gold"])
        for extraction in line["extractions"]:
            yield gold, cut(extraction)


def report(rule, program, pairs, work):
    """Prints the time per pair, and the sum of what `work` returns."""
    pairs = list(pairs)
    start = time.process_time()
    total = sum(work(*pair) for pair in pairs)
    each = 1e6 * (time.process_time() - start) / max(len(pairs), 1)
    print(f"{rule:<16} {len(pairs):>7} {total:>14} {each:>14.2f}  {program}", flush=True)


def edited(gold, extraction):
    return max(len(gold), len(extraction)) - Levenshtein.distance(gold, extraction)


def in_blocks(gold, extraction):
    matcher = difflib.SequenceMatcher(None, extraction, gold)
    return sum(block.size for block in matcher.get_matching_blocks())


def rouge(name):
    """rouge_score gives shares, so there is no sum of tokens to compare: 0."""
    scorer = rouge_scorer.RougeScorer([name], tokenizer=Words())

    def work(gold, extraction):
        scorer.score(gold, extraction)
        return 0

    return work


class Nodes(Config):
    """The costs of TEDS: a table, rows, and cells with a text and spans."""

    def rename(self, one, other):
        if one.name[:3] != other.name[:3]:
            return 1.0
        if one.name[0] != "cell":
            return 0.0
        longer = max(len(one.name[3]), len(other.name[3]))
        return Levenshtein.distance(one.name[3], other.name[3]) / longer if longer else 0.0


def tree(rows):
    cells = [[Tree(("cell", columns, down, text)) for text, columns, down in row] for row in rows]
    return Tree(("table", 0, 0), *[Tree(("row", 0, 0), *row) for row in cells])


def trees_of(lines):
    for line in lines:
        yield tuple([tree(rows) for rows in line[side]] for side in ("gold_tables", "extraction_tables"))


def teds(gold, extraction):
    """Every table against every other one, as the pairing of tables asks for it."""
    for one in gold:
        for other in extraction:
            APTED(one, other, Nodes()).compute_edit_distance()
    return 0


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    texts = [line for line in lines if "gold" in line]
    made = [line for line in lines if "gold_tables" in line]
    print(f"{'':<16} {'pairs':>7} {'matched':>14} {'us per pair':>14}")
    programs = {
        "edit scalar": ("rapidfuzz Levenshtein.distance", pairs_of(texts, str), edited),
        "edit ws": ("rapidfuzz Levenshtein.distance", pairs_of(texts, str.split), edited),
        "lcs ws": ("rapidfuzz LCSseq.similarity", pairs_of(texts, str.split), LCSseq.similarity),
        "rouge:2 ws": ("rouge_score rouge2", pairs_of(texts, str), rouge("rouge2")),
        "difflib ws": ("difflib.SequenceMatcher", pairs_of(texts, str.split), in_blocks),
        "tables": ("apted", trees_of(made), teds),
        # It takes a quarter of a second per pair, so every 16th pair has to do.
        "lsum ws": ("rouge_score rougeLsum, every 16th pair", list(pairs_of(texts, str))[::16], rouge("rougeLsum")),
    }
    for rule in sys.argv[2:] or programs:
        report(rule, *programs[rule])


if __name__ == "__main__":
    main()
