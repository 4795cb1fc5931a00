# An agent that completes task $1 in its folder; $2 selects the way. The agent may be killed at any
# point and continues the work of an earlier agent. With $3, its completion was refused because of a
# conflict.
set -e
if [ -n "$3" ]; then
  git add .
  git diff --cached --quiet || git commit --quiet -m "More of $1"
fi
if [ -n "$(git rev-list -1 ralph/s..HEAD)" ]; then
  # An earlier agent has committed here, and merged tasks may conflict with its commits.
  git merge --quiet --no-edit ralph/s > /dev/null 2>&1 || {
    git checkout --quiet --theirs -- shared.txt
    git add shared.txt
    git commit --quiet --no-edit
  }
fi
sleep "0.0$(($2 % 10))"
echo "work of $1" > "files/$1.txt"
if [ $(($2 % 3)) -eq 0 ]; then
  git add .
  git diff --cached --quiet || git commit --quiet -m "Some of $1"
fi
sed -i "s/^open $1\$/done $1/" shared.txt
if [ $(($1 % 10)) -eq 0 ] && ! grep -q "^tally:.* $1\( \|\$\)" shared.txt; then
  sed -i "s/^tally:.*/& $1/" shared.txt
fi
sleep "0.$(($2 % 5))"
if [ $(($2 % 2)) -eq 0 ]; then
  git add .
  git diff --cached --quiet || git commit --quiet -m "All of $1"
fi
