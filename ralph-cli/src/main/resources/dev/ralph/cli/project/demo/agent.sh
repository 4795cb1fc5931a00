#!/bin/sh
# The scripted agent of the demo. Its only input is the prompt, and its only tools are the commands in
# the prompt.
set -eu

prompt=$(cat)

# Runs the first command of the prompt that contains the words $1, with the id $2 and the text $3.
ralph() {
  line=$(printf '%s\n' "$prompt" | grep '^"$RALPH"' | grep -E -- " $1( |\$)" | head -n 1)
  [ -n "$line" ] || {
    echo "the prompt has no command $1" >&2
    exit 1
  }
  line=$(printf '%s\n' "$line" | sed -E -e "s/ ID( |\$)/ ${2:-} /" -e "s/'TEXT'/'${3:-}'/")
  eval "$line"
}

ready() {
  ralph 'tasks --ready' | grep '^t[0-9]' || true
}

commit() {
  git add -A
  git commit --quiet "$@"
}

# Messages come first.
printf '%s\n' "$prompt" | sed -n 's/^- \[\([0-9a-z]*\)\] [^ ]*Z: .*/\1/p' | while read -r id; do
  echo "Received a message; answering by a note."
  ralph 'note add' '' 'To the operator: a shell script, at your service.' </dev/null
  ralph 'inbox read' "$id" </dev/null
done

# A failed gate describes the remaining work.
if printf '%s\n' "$prompt" | grep -q 'FAIL: without a name'; then
  echo "A check failed without a name; fixing greet.sh."
  printf 'echo "Hello, ${1:-world}!"\n' >greet.sh
  commit --amend --no-edit
  ralph complete
  exit
fi

# Otherwise completes the next task, one per iteration.
next=$(ready | head -n 1)
if [ -z "$next" ]; then
  ralph complete
  exit
fi
id=${next%% *}
ralph 'task status ID in_progress' "$id"
case $next in
  *greet.sh*)
    printf 'echo "Hello, $1!"\n' >greet.sh
    ;;
  *README.md*)
    printf '# A greeting\n\nRun `sh greet.sh NAME`.\n' >README.md
    ;;
  *LICENSE*)
    printf 'Do what you like with it.\n' >LICENSE
    ;;
  *)
    echo "unknown task: $next" >&2
    exit 1
    ;;
esac
commit -m "${next##*  }"
ralph 'task done' "$id"
[ -n "$(ready)" ] || ralph complete || echo "Completion was refused; continuing in the next iteration."
