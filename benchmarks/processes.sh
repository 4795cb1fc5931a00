#!/usr/bin/env bash
# Measures processes of the command in alternation with their baselines. Called by the benchmarks' jar:
#
#   processes.sh commands CLASS_PATH RALPH WORK_DIR ROUNDS FOREIGN_FRAMES
#   processes.sh mail CLASS_PATH RALPH WORK_DIR ROUNDS MAILS
#
# Prints a line per figure, with fields separated by tabs: name; maximum ratio or -; then for the
# command and for the baseline: times and CPU times in milliseconds, separated by spaces, and peak
# memory in MB or -. JAVA_HOME selects the Java installation.
set -euo pipefail
export LC_ALL=C.UTF-8

what=$1 classpath=$2 ralph=$3 work=$4 rounds=$5 many=$6
java=$JAVA_HOME/bin/java

mkdir -p "$work"
export XDG_CACHE_HOME=$work/cache

TIMEFORMAT='%3R %3U %3S'

# Sets $took and $cpu to the elapsed and CPU milliseconds of a command.
timed() {
  local report real user system
  { report=$({ time "$@" >/dev/null </dev/null 2>&3; } 2>&1); } 3>&2
  read -r real user system <<<"$report"
  took=$((10#${real/./}))
  cpu=$((10#${user/./} + 10#${system/./}))
}

# Sets $peak to the peak memory of a command in MB, or to - if unknown. The polling takes CPU time,
# so the command is not timed.
watched() {
  local pid key value rest kilobytes=0 seen=yes
  "$@" >/dev/null </dev/null &
  pid=$!
  while [ -n "$seen" ]; do
    seen= # an ended process has no VmHWM line
    while read -r key value rest; do
      [ "$key" != VmHWM: ] || kilobytes=$value seen=yes
    done 2>/dev/null <"/proc/$pid/status" || break
  done
  wait "$pid"
  peak=$([ "$kilobytes" -eq 0 ] && echo - || echo $((kilobytes / 1024)))
}

# ---- stores

make() {
  local maker=$1
  shift
  "$java" -cp "$classpath" "dev.ralph.benchmarks.$maker" "$@"
}

# Creates stores with the same 50 tasks: alone without other history, among with other history, snapshot
# with old snapshots, stale with old derived files, and bare without derived files. Old files were written
# before the last tenth of the history.
make_commands() {
  echo "making logs" >&2
  make MakeLog "$work/alone" 50 0
  make MakeLog "$work/among" 50 $((many - many / 10))
  "$ralph" tasks --store "$work/among" -n mine >/dev/null
  mkdir -p "$work/among/derived"
  cp -r "$work/among/derived" "$work/before"
  make MakeLog "$work/among" 0 $((many / 10))
  mkdir -p "$work/among/derived"
  cp -r "$work/among/derived" "$work/mixed"
  rm -rf "$work/mixed/snapshots"
  [ ! -e "$work/before/snapshots" ] || cp -r "$work/before/snapshots" "$work/mixed/"
  for store in snapshot stale bare; do
    cp -r "$work/among" "$work/$store"
  done
}

few=10

# Mailboxes in stores, and AgentMail mailboxes with the last messages unread.
make_mail() {
  echo "making mail" >&2
  make MakeMail "$work/few" "$few" unread
  make MakeMail "$work/unread" "$many" unread
  make MakeMail "$work/read" "$many" read
  mkdir -p "$work/bin"
  # A substitute for tmux, whose start must not be measured.
  printf '#!/bin/sh\necho bob; echo bob\n' >"$work/bin/tmux"
  chmod +x "$work/bin/tmux"
  local count
  for count in "$few" "$many"; do
    mkdir -p "$work/agentmail-$count/.git/mail"
    awk -v read="$count" -v unread="$((rounds + 2))" 'BEGIN {
      for (i = 1; i <= read + unread; i++) {
        printf "{\"id\":\"%08d\",\"from\":\"ann\",\"to\":\"bob\",", i
        printf "\"message\":\"Build part %d of the shop, and say when it is done\",", i
        printf "\"read_flag\":%s}\n", i <= read ? "true" : "false"
      }
    }' >"$work/agentmail-$count/.git/mail/bob.jsonl"
  done
}

"make_$what"

# ---- class-data archives, which the launcher creates in the background

# No lock exists for a moment between two archives, so callers check twice.
archives_made() {
  [ -n "$(find "$XDG_CACHE_HOME" -name '*.jsa' -o -name '*.aot' 2>/dev/null)" ] &&
    [ -z "$(find "$XDG_CACHE_HOME" -name '*.lock')" ]
}

echo "waiting for the class-data archives" >&2
deadline=$((SECONDS + 300))
"$ralph" --version >/dev/null
until archives_made && sleep 1 && archives_made; do
  [ "$SECONDS" -lt "$deadline" ] || { echo "the launcher has made no archive" >&2; exit 1; }
  sleep 1
done

# ---- hello world with the launcher's flags for Java, which a substitute for Java records. Hello world
# has its own archive, created in the same way.

mkdir -p "$work/java/bin" "$work/hello"
cp "$JAVA_HOME/release" "$work/java/"
cat >"$work/java/bin/java" <<STANDIN
#!/bin/sh
case " \$* " in *" -Dralph.training="*) exit 1 ;; esac
for word; do case \$word in -cp | -jar) break ;; esac; printf '%s\n' "\$word"; done >"$work/flags"
STANDIN
chmod +x "$work/java/bin/java"
JAVA_HOME=$work/java "$ralph" tasks
mapfile -t flags < <(grep -v -e '^-D' -e '^-XX:SharedArchiveFile=' -e '^-XX:AOTCache' "$work/flags")
(cd "$work/hello" && "$JAVA_HOME/bin/jar" xf "${classpath%%:*}" dev/ralph/benchmarks/Hello.class &&
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

# ---- measurement

declare -A times cpus peaks
sample() {
  local name=$1
  shift
  if [ "$round" -gt "$rounds" ]; then
    watched "$@"
    peaks[$name]=$peak
    return
  fi
  timed "$@"
  times[$name]+="${times[$name]:+ }$took"
  cpus[$name]+="${cpus[$name]:+ }$cpu"
}

tasks() {
  sample "$1" "$ralph" tasks --store "$work/$1" -n mine
}

# Replaces the derived files of a store. A reader then updates them.
derived() {
  rm -rf "$work/$1/derived"
  [ -z "$2" ] || cp -r "$work/$2" "$work/$1/derived"
}

run_commands() {
  tasks alone
  tasks among
  derived snapshot mixed
  tasks snapshot
  derived stale before
  tasks stale
  derived bare ""
  tasks bare
  sample message "$ralph" message --store "$work/alone" -n mine "Do the API first, please"
}

run_mail() {
  local box count
  for box in few unread read; do
    sample "$box" "$ralph" mail receive --as bob --lease 1ms --store "$work/$box"
  done
  for count in "$few" "$many"; do
    cd "$work/agentmail-$count"
    sample "agentmail-$count" env "PATH=$work/bin:$PATH" TMUX=here TMUX_PANE=%0 "$ralph" agentmail receive
  done
}

# The first round warms up the disk cache, and the last round measures memory.
for ((round = 0; round <= rounds + 1; round++)); do
  [ "$round" -ne 1 ] || times=() cpus=()
  echo "$what, $round of $((rounds + 1))" >&2
  sample hello "$java" "${flags[@]}" -jar "$work/hello.jar"
  "run_$what"
done

row() {
  printf '%s\t%s' "$1" "$2"
  for name in "$3" "$4"; do
    printf '\t%s\t%s\t%s' "${times[$name]}" "${cpus[$name]}" "${peaks[$name]}"
  done
  printf '\n'
}

rows_commands() {
  row "ralph tasks: 50 tasks among $many frames of others, against 50 alone" 1.2 among alone
  row "the same, snapshots $((many / 10)) frames old" 1.2 snapshot alone
  row "the same, snapshots and index $((many / 10)) frames old" - stale alone
  row "the same, derived files deleted" - bare alone
  row "ralph message, against hello world with the same flags" 1.8 message hello
  row "ralph tasks, against hello world with the same flags" 1.8 alone hello
}

rows_mail() {
  row "ralph mail receive at $many unread, against $few" 1.2 unread few
  row "ralph mail receive at $many read, against $few unread" 1.2 read few
  row "ralph mail receive at $few, against hello world with the same flags" 3 few hello
  row "ralph agentmail receive at $many, against $few" 1.2 "agentmail-$many" "agentmail-$few"
  row "ralph agentmail receive at $many, against hello world with the same flags" 3 "agentmail-$many" hello
}

"rows_$what"
