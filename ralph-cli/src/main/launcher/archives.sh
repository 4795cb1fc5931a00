# Creates all class-data archives before they are needed, because agents wait only briefly for an MCP
# server. Arguments: java, its flags, the jar, the folder of the store libraries, the prefix and suffix of
# the archives' names, the flag that creates an archive, the flags for Chronicle if it is used, the folder of
# all archives, and .postgres if PostgreSQL is used. Runs in a separate shell, because a loop ends all
# processes with its mark in the environment as processes of its agent.
java=$1 flags=$2 jar=$3 lib=$4 begin=$5 kind=$6 make=$7 leave=$8 all=$9 postgres=${10}
umask go-w
train() {
  archive=$begin$1.$kind address=$2 what=$3
  shift 3
  [ "$archive" -nt "$jar" ] && return
  if ! mkdir "$archive.lock"; then
    # Another process creates this archive, or has failed. Retry after five minutes.
    [ -z "$(find "$archive.lock" -prune -mmin +5)" ] || rmdir "$archive.lock"
    return
  fi
  work=$archive.$$.work
  [ -z "$address" ] || address=$address$work/store
  mkdir -p "$work/.git" "$work/bin" # ends the search for a store
  # A substitute for tmux with a single window, named a.
  printf "%s\n" "#!/bin/sh" "echo a; echo a" >"$work/bin/tmux" && chmod +x "$work/bin/tmux"
  # The rename publishes complete archives only: a truncated archive ends the virtual machine with SIGBUS.
  # The archive has no training data, because the virtual machine would compile its methods at startup.
  if "$java" $flags -Dralph.training=store "-Dralph.training.folder=$work" \
    "-Dralph.training.store=$address" "$@" &&
    PATH=$work/bin:$PATH "$java" $flags -XX:-AOTRecordTraining "$make=$archive.$$" \
      "-Dralph.training=$what" "-Dralph.training.folder=$work" \
      "-Dralph.training.store=$address" "$@" &&
    [ -s "$archive.$$" ] && { sync "$archive.$$" || true; } && mv -f "$archive.$$" "$archive"; then
    rmdir "$archive.lock"
  else
    rm -f "$archive.$$" "$archive.$$.config" # the second file is the configuration of an AOT cache
  fi
  rm -rf "$work"
}
at=$all
until [ -e "${at:-/}" ]; do at=${at%/*}; done
# Root creates no files in the folder of another user, who could not delete them.
[ ! -O / ] || [ -O "${at:-/}" ] || exit 0
mkdir -p "${begin%/*}" && [ -O "$all" ] && [ ! -L "$all" ] || exit 0
# A folder may exist with write permission for others.
at=${begin%/*}
until [ "$at" = "${all%/*}" ]; do
  chmod go-w "$at" || exit 0
  at=${at%/*}
done
# Removes the archives of deleted checkouts and JDKs. A path consists of the folder of all, a version,
# the path of a JDK, and the path of a jar.
find "$all" \( -name 'ralph.jar*.jsa*' -o -name 'ralph.jar*.aot*' \) -prune -exec sh -c '
  all=$1
  shift
  for made; do
    both=${made#"$all"/}
    both=/${both#*/}
    both=${both%/*}/ralph.jar jar=$both
    until [ -f "$jar" ] && [ -x "${both%"$jar"}/bin/java" ]; do
      case $jar in
        /*/*) jar=/${jar#/*/} ;;
        *) rm -rf "$made" && rmdir -p "${made%/*}" 2>/dev/null; break ;;
      esac
    done
  done' sh "$all" {} +
# Arguments: the part of the archives' names for a store, the prefix of its address, and java's arguments.
train_all() {
  name=$1 place=$2
  shift 2
  train "$name" "$place" commands "$@"
  train "$name.mcp" "$place" mcp "$@"
  train "$name.mail" "$place" mail "$@"
  train "$name.tx" "$place" tx "$@"
  train "$name.agent" "$place" agent "$@"
}
set -- -cp "$jar" dev.ralph.cli.Main
train_all "" "" "$@"
train .agentmail "" agentmail "$@"
[ -z "$leave" ] || train_all .chronicle chronicle: $leave -cp "$jar:$lib/chronicle/*" dev.ralph.cli.Main
[ -z "$postgres" ] || train_all .postgres postgres: -cp "$jar:$lib/postgres/*" dev.ralph.cli.Main
