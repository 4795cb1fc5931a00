#!/bin/sh
# The agent of the demo. It has no idea where it runs or for which session: all it knows is the prompt,
# and all it can do is to run the commands that stand there.
set -eu

prompt=$(cat)

# Runs the prompt's command that has these words in it, with an id and a text of our own.
ralph() {
  line=$(printf '%s\n' "$prompt" | grep '^"$RALPH"' | grep -E -- " $1( |\$)" | head -n 1)
  [ -n "$line" ] || {
    echo "the prompt names no command to $1" >&2
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
  echo "A message! I answer it by a note."
  ralph 'note add' '' 'To the operator: a shell script, at your service.' </dev/null
  ralph 'inbox read' "$id" </dev/null
done

# A gate that failed tells what is left to do.
if printf '%s\n' "$prompt" | grep -q 'FAIL: without a name'; then
  echo "A check failed: a name may be missing. I mend that."
  printf 'echo "Hello, ${1:-world}!"\n' >greet.sh
  commit --amend --no-edit
  ralph complete
  exit
fi

# Else the next task, one in each iteration.
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
    echo "I don't know how to do this: $next" >&2
    exit 1
    ;;
esac
commit -m "Do ${next##*  }"
ralph 'task done' "$id"
[ -n "$(ready)" ] || ralph complete || echo "Not yet, then: that is for the next iteration."
