#!/usr/bin/env bash
# Times the start of short commands on every JDK from 17 on that is found, beside a hello world of
# the same flags with an archive made in the same way:
#
#   start.sh RALPH [ROUNDS [JAVA_HOME...]]
#
# RALPH is the launcher of a checkout that has been built. Without homes it takes JAVA_HOME and all
# JDKs that stand beside it. Prints medians, in milliseconds: from start to end, and processor time,
# which says more on a machine that has other things to do.
set -euo pipefail
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
ralph=$(cd "$(dirname "$1")" && pwd -P)/$(basename "$1") rounds=${2:-21}
shift $(($# < 2 ? $# : 2))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TIMEFORMAT='%3R %3U %3S'

if [ "$#" -eq 0 ]; then
  own=${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")}
  set -- "$own" "$(dirname "$own")"/*
fi

# The major version of a JDK, or nothing.
major() {
  [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 0
  sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}

# Adds what a command takes to $times and $cpus.
sample() {
  local name=$1 report real user system
  shift
  { report=$({ time "$@" >/dev/null </dev/null 2>&3; } 2>&1); } 3>&2
  read -r real user system <<<"$report"
  times[$name]+="$((10#${real/./})) "
  cpus[$name]+="$((10#${user/./} + 10#${system/./})) "
}

median() {
  # shellcheck disable=SC2086
  printf '%s\n' $1 | sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}

# Prints what a command took, and how much of what another one took that is.
row() {
  local wall cpu base_wall base_cpu
  wall=$(median "${times[$2]}") cpu=$(median "${cpus[$2]}")
  base_wall=$(median "${times[$3]}") base_cpu=$(median "${cpus[$3]}")
  awk -v name="$1" -v w="$wall" -v c="$cpu" -v bw="$base_wall" -v bc="$base_cpu" -v base="$3" \
    'BEGIN { printf "| %s | %d | %d | %s | %.2f | %.2f |\n", name, w, c, base, w / bw, c / bc }'
}

measure() {
  local home=$1 own=$work/$2 store kind=jsa make=-XX:ArchiveClassesAtExit use=-XX:SharedArchiveFile
  mkdir -p "$own/java/bin" "$own/classes"
  export JAVA_HOME=$home XDG_CACHE_HOME=$own/cache
  [ "$2" -lt 25 ] || kind=aot make=-XX:AOTCacheOutput use=-XX:AOTCache

  # Two stores, and the archives for both.
  for ((i = 1; i <= 50; i++)); do
    printf -- '- [ ] Part %d of it\n' "$i"
  done >"$own/tasks"
  for store in "$own/file" "chronicle:$own/chronicle"; do
    "$ralph" task add --create -n mine --store "$store" --from "$own/tasks" >/dev/null
  done

  # A change of 50 stories with 20 tasks each, in a folder of its own, and a session on it.
  local change=$own/openspec/changes/large session task
  mkdir -p "$change"
  for ((i = 1; i <= 50; i++)); do
    printf '## %d. A story\n\n' "$i"
    for ((task = 1; task <= 20; task++)); do
      printf -- '- [ ] %d.%d Part %d of it\n' "$i" "$task" "$task"
    done
  done >"$change/tasks.md"
  session=$(cd "$own" && "$ralph" agent session init --change large --store "$own/file")
  session=${session#*:\"} session=${session%%\"*}

  local deadline=$((SECONDS + 300))
  until [ "$(find "$own/cache" -name "ralph.jar*.$kind" | wc -l)" -eq 11 ]; do
    [ "$SECONDS" -lt "$deadline" ] || { echo "the launcher has not made its archives" >&2; exit 1; }
    sleep 1
  done

  # The flags that the launcher gives to Java: a stand-in for Java writes them down.
  cp "$home/release" "$own/java/"
  cat >"$own/java/bin/java" <<STANDIN
#!/bin/sh
case " \$* " in *" -Dralph.training="*) exit 1 ;; esac
for word; do [ "\$word" = -cp ] && break; printf '%s\n' "\$word"; done >"$own/flags"
STANDIN
  chmod +x "$own/java/bin/java"
  JAVA_HOME=$own/java XDG_CACHE_HOME=$own/none "$ralph" tasks
  local -a flags
  mapfile -t flags < <(grep -v '^-Dralph' "$own/flags")
  "$home/bin/javac" -d "$own/classes" "$here/src/main/java/dev/ralph/benchmarks/Hello.java"
  "$home/bin/jar" cf "$own/hello.jar" -C "$own/classes" .
  local -a hello=(-cp "$own/hello.jar" dev.ralph.benchmarks.Hello)
  "$home/bin/java" "${flags[@]}" -XX:-AOTRecordTraining "$make=$own/hello.$kind" "${hello[@]}" \
    >/dev/null 2>&1

  local -A times cpus
  for ((round = 0; round <= rounds; round++)); do
    [ "$round" -ne 1 ] || times=() cpus=() # the first one only warms the disk's cache up
    sample hello "$home/bin/java" "${flags[@]}" "$use=$own/hello.$kind" "${hello[@]}"
    pushd "$own" >/dev/null
    sample context "$ralph" agent context --session "$session" --story 25 --store "$own/file"
    popd >/dev/null
    for store in file chronicle; do
      local address=$own/$store
      [ "$store" = file ] || address=chronicle:$address
      sample "$store message" "$ralph" message -n mine --store "$address" "Do the API first"
      sample "$store tasks" "$ralph" tasks -n mine --store "$address"
    done
  done

  printf '\nJDK %s, %s rounds\n\n' "$(sed -n 's/^JAVA_VERSION="\(.*\)"/\1/p' "$home/release")" "$rounds"
  printf '| command | wall ms | CPU ms | against | wall | CPU |\n|---|---|---|---|---|---|\n'
  row "hello world" hello hello
  row "ralph message" "file message" hello
  row "ralph tasks" "file tasks" hello
  row "ralph agent context" context hello
  row "ralph message, Chronicle" "chronicle message" "file message"
  row "ralph tasks, Chronicle" "chronicle tasks" "file tasks"
}

seen=' '
for home; do
  version=$(major "$home")
  case $seen in *" $version "*) continue ;; esac
  [ "${version:-0}" -ge 17 ] || continue
  seen="$seen$version "
  measure "$home" "$version"
done
[ "$seen" != ' ' ] || { echo "no JDK 17 or later found" >&2; exit 1; }
