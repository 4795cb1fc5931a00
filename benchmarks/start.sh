#!/usr/bin/env bash
# Measures the start of short commands on each installed JDK since 17, compared with a hello world that
# has the same flags and an archive created in the same way:
#
#   start.sh RALPH [ROUNDS [JAVA_HOME...]]
#
# RALPH is the launcher of a built checkout. The default of JAVA_HOME... is JAVA_HOME and all JDKs in its
# parent folder. Prints medians in milliseconds: elapsed time, and processor time, which is more reliable
# on a busy machine.
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

# Prints the major version of a JDK, or nothing.
major() {
  [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 0
  sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}

# Appends the elapsed and CPU milliseconds of a command to $times and $cpus.
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

# Prints the medians of a command, and their ratios to another command.
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

  # Creates two stores, and the archives for both.
  for ((i = 1; i <= 50; i++)); do
    printf -- '- [ ] Part %d of it\n' "$i"
  done >"$own/tasks"
  for store in "$own/file" "chronicle:$own/chronicle"; do
    "$ralph" task add --create -n mine --store "$store" --from "$own/tasks" >/dev/null
  done

  # Creates a change of 50 stories with 20 tasks each in a separate folder, and a session on the change.
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

  # Records the launcher's flags for Java by a substitute for Java.
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
    [ "$round" -ne 1 ] || times=() cpus=() # the first round warms up the disk cache
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
