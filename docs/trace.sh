#!/usr/bin/env bash
# Creates docs/trace.svg from the spans that OneTraceTest has written. Needs Python.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mvn -q test -Pframeworks -pl frameworks/ralph-spring-boot-starter -am -Dtest=OneTraceTest \
  -Dsurefire.failIfNoSpecifiedTests=false
python3 - frameworks/ralph-spring-boot-starter/target/trace.jsonl >docs/trace.svg <<'END'
import json
import sys

spans = sorted((json.loads(line) for line in open(sys.argv[1])), key=lambda span: span["from"])
by_id = {span["id"]: span for span in spans}
colours = {"application": "#4a7ebb", "agent": "#d9822b"}
ROW, LEFT, WIDTH, GAP = 22, 300, 560, 40


def depth(span):
    return 1 + depth(by_id[span["parent"]]) if span["parent"] in by_id else 0


# Omits the start of the process between the request and the loop.
places, x = {}, 0
for process in colours:
    own = [span for span in spans if span["process"] == process]
    places[process] = (min(span["from"] for span in own), max(span["to"] for span in own))
scale = (WIDTH - GAP) / sum(to - begin for begin, to in places.values())
height = 50 + ROW * len(spans)
print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 20} {height}" '
      'font-family="sans-serif" font-size="12">')
print('<rect width="100%" height="100%" fill="#ffffff"/>')
starts = {}
for process, (begin, to) in places.items():
    starts[process] = LEFT + x
    print(f'<text x="{LEFT + x:.1f}" y="20" fill="{colours[process]}">the {process}’s process</text>')
    x += (to - begin) * scale + GAP
for row, span in enumerate(spans):
    y = 34 + ROW * row
    begin = starts[span["process"]] + (span["from"] - places[span["process"]][0]) * scale
    width = max(2, (span["to"] - span["from"]) * scale)
    print(f'<text x="{10 + 14 * depth(span)}" y="{y + 11}">{span["name"]}</text>')
    print(f'<rect x="{begin:.1f}" y="{y}" width="{width:.1f}" height="14" '
          f'fill="{colours[span["process"]]}"/>')
print(f'<text x="10" y="20" fill="#777777">trace {spans[0]["trace"][:16]}…</text>')
print("</svg>")
END
