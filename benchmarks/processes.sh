#!/usr/bin/env bash
# Times whole processes of the command, in turn with their baselines. Called by the benchmarks' jar:
#
#   processes.sh BENCHMARKS_JAR RALPH WORK_DIR ROUNDS FOREIGN_FRAMES
#
# Prints a line for each figure: name, the largest ratio allowed or -, our times, the baseline's, in
# milliseconds; separated by tabs, the times by blanks. JAVA_HOME says which Java.
set -euo pipefail
export LC_ALL=C.UTF-8

jar=$1 ralph=$2 work=$3 rounds=$4 foreign=$5
java=$JAVA_HOME/bin/java
[ -n "${EPOCHREALTIME:-}" ] || { echo "processes.sh needs bash 5 or later" >&2; exit 2; }

mkdir -p "$work"
export XDG_CACHE_HOME=$work/cache

# Sets $took to the milliseconds that a command takes.
timed() {
  local begin=$EPOCHREALTIME end
  "$@" >/dev/null </dev/null
  end=$EPOCHREALTIME
  took=$(((${end/./} - ${begin/./}) / 10))
  took=$((took / 100)).$(printf %02d $((took % 100)))
}

make_log() {
  "$java" -cp "$jar" dev.ralph.benchmarks.MakeLog "$@"
}

# ---- the stores: 50 tasks alone; among the history of others; the same with snapshots, or all
# derived files, as a reader left them a tenth of that history ago; the same without derived files

echo "making logs" >&2
make_log "$work/alone" 50 0
make_log "$work/among" 50 $((foreign - foreign / 10))
"$ralph" tasks --store "$work/among" -n mine >/dev/null
mkdir -p "$work/among/derived"
cp -r "$work/among/derived" "$work/before"
make_log "$work/among" 0 $((foreign / 10))
mkdir -p "$work/among/derived"
cp -r "$work/among/derived" "$work/mixed"
rm -rf "$work/mixed/snapshots"
[ ! -e "$work/before/snapshots" ] || cp -r "$work/before/snapshots" "$work/mixed/"
for store in snapshot stale bare; do
  cp -r "$work/among" "$work/$store"
done

# ---- the command's class-data archive, which the launcher makes in the background

echo "waiting for the class-data archives" >&2
deadline=$((SECONDS + 120))
until [ -n "$(find "$XDG_CACHE_HOME" -name '*.mcp.jsa' -o -name '*.mcp.aot' 2>/dev/null)" ]; do
  "$ralph" tasks --store "$work/alone" -n mine >/dev/null
  [ "$SECONDS" -lt "$deadline" ] || { echo "the launcher has made no archive" >&2; exit 1; }
  sleep 1
done

# ---- hello world with the flags that the launcher gives to Java: a stand-in for Java writes them
# down. Only the archive is its own, made in the same way.

mkdir -p "$work/java/bin" "$work/hello"
cp "$JAVA_HOME/release" "$work/java/"
cat >"$work/java/bin/java" <<STANDIN
#!/bin/sh
case " \$* " in *" -Dralph.training="*) exit 1 ;; esac
for word; do [ "\$word" = -cp ] && break; printf '%s\n' "\$word"; done >"$work/flags"
STANDIN
chmod +x "$work/java/bin/java"
JAVA_HOME=$work/java "$ralph" tasks
mapfile -t flags < <(grep -v -e '^-D' -e '^-XX:SharedArchiveFile=' -e '^-XX:AOTCache' "$work/flags")
(cd "$work/hello" && "$JAVA_HOME/bin/jar" xf "$jar" dev/ralph/benchmarks/Hello.class &&
  "$JAVA_HOME/bin/jar" cfe ../hello.jar dev.ralph.benchmarks.Hello dev)
archive=$work/hello.archive
if [ -n "$(find "$XDG_CACHE_HOME" -name '*.aot')" ]; then
  "$java" "${flags[@]}" -XX:AOTCacheOutput="$archive" -jar "$work/hello.jar" >&2
  flags+=("-XX:AOTCache=$archive")
else
  "$java" "${flags[@]}" -XX:ArchiveClassesAtExit="$archive" -jar "$work/hello.jar" >&2
  flags+=("-XX:SharedArchiveFile=$archive")
fi
[ -s "$archive" ] || { echo "no archive for hello world was made" >&2; exit 1; }

# ---- in turn

declare -A times
sample() {
  local name=$1
  shift
  timed "$@"
  times[$name]+="${times[$name]:+ }$took"
}

tasks() {
  sample "$1" "$ralph" tasks --store "$work/$1" -n mine
}

# Puts derived files in a store in place of its own: a reader brings them up to date.
derived() {
  rm -rf "$work/$1/derived"
  [ -z "$2" ] || cp -r "$work/$2" "$work/$1/derived"
}

for ((round = 0; round <= rounds; round++)); do
  [ "$round" -ne 1 ] || times=() # the first round only warms the disk's cache up
  echo "processes, $round of $rounds" >&2
  tasks alone
  tasks among
  derived snapshot mixed
  tasks snapshot
  derived stale before
  tasks stale
  derived bare ""
  tasks bare
  sample hello "$java" "${flags[@]}" -jar "$work/hello.jar"
  sample message "$ralph" message --store "$work/alone" -n mine "Do the API first, please"
done

row() {
  printf '%s\t%s\t%s\t%s\n' "$1" "$2" "${times[$3]}" "${times[$4]}"
}
row "ralph tasks: 50 tasks among $foreign frames of others, against 50 alone" 1.2 among alone
row "the same, snapshots $((foreign / 10)) frames old" 1.2 snapshot alone
row "the same, snapshots and index $((foreign / 10)) frames old" - stale alone
row "the same, derived files deleted" - bare alone
row "ralph message, against hello world with the same flags" 1.8 message hello
row "ralph tasks, against hello world with the same flags" 1.8 alone hello
