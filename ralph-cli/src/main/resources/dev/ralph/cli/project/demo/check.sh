#!/bin/sh
# The gate of the demo: the work is complete if this script succeeds.
fail() {
  echo "FAIL: $1"
  exit 1
}
said=$(sh greet.sh Ada)
[ "$said" = 'Hello, Ada!' ] || fail "with a name it printed '$said'"
said=$(sh greet.sh)
[ "$said" = 'Hello, world!' ] || fail "without a name it printed '$said', not 'Hello, world!'"
grep -q greet.sh README.md || fail "README.md does not mention greet.sh"
echo 'all checks passed'
