#!/usr/bin/env bash
# Creates docs/build.svg and docs/watch.svg from the terminal output of the demo.
# Needs tmux, and Python with rich (pip install rich).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$(mktemp -d)
socket=$folder/tmux
trap 'tmux -S "$socket" kill-server 2>/dev/null || true; rm -rf "$folder"' EXIT

# Two windows without a shell prompt: the loop, and ralph watch.
./ralph help >/dev/null # builds the program if necessary
tmux -S "$socket" -f /dev/null new-session -d -s demo -x 92 -y 48 \
  "./ralph demo '$folder/demo'; touch '$folder/done'; sleep 60"
tmux -S "$socket" new-window -d -t demo:1 \
  "while ! ./ralph watch --name demo --store '$folder/demo/project/.ralph/store'; do :; done"
tmux -S "$socket" resize-window -t demo:1 -x 92 -y 15

draw() { # FILE TITLE, with terminal output on standard input
  python3 -c '
import sys
from rich.console import Console
from rich.text import Text
shown = Text.from_ansi(sys.stdin.read().rstrip())
lines = shown.split("\n")
console = Console(record=True, width=92, file=open("/dev/null", "w"))
for line in lines:
    console.print(line, no_wrap=True, overflow="ignore")
style = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: {char_height}px;
  line-height: {line_height}px; }}
.{unique_id}-title {{ font-family: sans-serif; font-size: 18px; font-weight: bold; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
console.save_svg(sys.argv[1], title=sys.argv[2], code_format=style, unique_id="terminal")
' "$1" "$2"
}

# The first screen of the third iteration.
middle=
until [ -e "$folder/done" ]; do
  seen=$(tmux -S "$socket" capture-pane -e -p -t demo:1)
  case $seen in *'#3 running'*) middle=${middle:-$seen} ;; esac
done
[ -n "$middle" ] || { echo "the loop was too quick to be watched; try again" >&2; exit 1; }
printf '%s\n' "$middle" | draw docs/watch.svg 'ralph watch --name demo'
tmux -S "$socket" capture-pane -e -p -S - -t demo:0 |
  sed '/^Commits:/,$d' | draw docs/build.svg 'ralph demo'
