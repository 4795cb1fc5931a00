#!/bin/sh
# The gate: the work is done when this succeeds.
fail() {
  echo "FAIL: $1"
  exit 1
}
said=$(sh greet.sh Ada)
[ "$said" = 'Hello, Ada!' ] || fail "with a name it printed '$said'"
said=$(sh greet.sh)
[ "$said" = 'Hello, world!' ] || fail "without a name it printed '$said', not 'Hello, world!'"
grep -q greet.sh README.md || fail "README.md does not say how to call it"
echo 'all checks passed'
