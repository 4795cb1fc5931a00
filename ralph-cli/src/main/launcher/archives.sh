# Makes class-data archives, given java, its flags, the jar, the folder of the stores, what the archives'
# names begin and end with, the flag that makes one, the flags for Chronicle if it is used, the folder
# of all, and whether PostgreSQL is used. All of them, so that they are there before they are needed:
# agents wait for an MCP server, but not long. This is a shell of its own, because a loop takes all that was
# started with its mark in the environment to be its agent's, and ends it.
java=$1 flags=$2 jar=$3 lib=$4 begin=$5 kind=$6 make=$7 leave=$8 all=$9 postgres=${10}
umask go-w
train() {
  archive=$begin$1.$kind address=$2 what=$3
  shift 3
  [ "$archive" -nt "$jar" ] && return
  if ! mkdir "$archive.lock"; then
    # Another makes it, or tried and failed: again in five minutes.
    [ -z "$(find "$archive.lock" -prune -mmin +5)" ] || rmdir "$archive.lock"
    return
  fi
  work=$archive.$$.work
  [ -z "$address" ] || address=$address$work/store
  mkdir -p "$work/.git" "$work/bin" # so that the search for the store ends here
  # Stands in for tmux, and says that the window is called a, as is the only one that there is.
  printf "%s\n" "#!/bin/sh" "echo a; echo a" >"$work/bin/tmux" && chmod +x "$work/bin/tmux"
  # Only a whole archive may ever stand there: a cut one ends the virtual machine by SIGBUS. What a
  # virtual machine learns of its methods besides would be compiled before anything else is done.
  if "$java" $flags -Dralph.training=store "-Dralph.training.folder=$work" \
    "-Dralph.training.store=$address" "$@" &&
    PATH=$work/bin:$PATH "$java" $flags -XX:-AOTRecordTraining "$make=$archive.$$" \
      "-Dralph.training=$what" "-Dralph.training.folder=$work" \
      "-Dralph.training.store=$address" "$@" &&
    [ -s "$archive.$$" ] && { sync "$archive.$$" || true; } && mv -f "$archive.$$" "$archive"; then
    rmdir "$archive.lock"
  else
    rm -f "$archive.$$" "$archive.$$.config" # the second is what an AOT cache is made from
  fi
  rm -rf "$work"
}
at=$all
until [ -e "${at:-/}" ]; do at=${at%/*}; done
# What root makes in a folder of another user would be in his way.
[ ! -O / ] || [ -O "${at:-/}" ] || exit 0
mkdir -p "${begin%/*}" && [ -O "$all" ] && [ ! -L "$all" ] || exit 0
# One may have been made where the mask let others write.
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
# Given what the archives' names have in them for a store, and its address as far as the folder.
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
