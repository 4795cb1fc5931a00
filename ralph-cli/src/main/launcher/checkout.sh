# Builds the program in a checkout, and installs a copy by renaming: a build must not replace the jar of a
# running loop. The launcher includes this script if the copy is missing, or older than the built or pulled
# version.

build() {
  command -v mvn >/dev/null 2>&1 || {
    echo "ralph: must be built first, but mvn is not on the PATH; install Maven 3.8 or later" >&2
    return 1
  }
  echo 'ralph: building this version, this takes a minute...' >&2
  log=$home/build.$$
  : >"$log"
  # Skips the checks that need a newer JDK; these are for developers. A terminal shows each module.
  {
    (cd "$root" && mvn -B -ntp -Dstyle.color=never -Dmaven.test.skip=true '-P!jdk-21' \
      -Dassembly.skipAssembly -pl ralph-cli -am package) </dev/null 2>&1
    printf '\nexit %s\n' "$?"
  } | while IFS= read -r line; do
    case $line in
      '[INFO] Building Ralph'*']') [ ! -t 2 ] || printf 'ralph: %s\n' "${line#?INFO? Building }" | tr -s ' ' >&2 ;;
      '' | '[INFO]'* | '[WARNING]'*) ;;
      *) printf '%s\n' "$line" >>"$log" ;;
    esac
  done
  if [ "$(tail -n 1 "$log")" = 'exit 0' ]; then
    rm -f "$log"
    return 0
  fi
  sed '$d' "$log" >&2
  rm -f "$log"
  echo "ralph: the build failed; see the output above" >&2
  return 1
}

# Installs a copy of the libraries of a store.
copy_store() {
  rm -rf "$lib/$1".[0-9]*
  [ -d "$built/lib/$1" ] || return 0
  cp -R "$built/lib/$1" "$lib/$1.$$" || return 1
  [ ! -d "$lib/$1" ] || mv "$lib/$1" "$lib/$1.$$.old" || return 1
  mv "$lib/$1.$$" "$lib/$1" && rm -rf "$lib/$1.$$.old"
}

# Updates the program. A lock serializes concurrent processes.
prepare() {
  lock=$home/lock
  mkdir -p "$lib" 2>/dev/null
  if [ ! -w "$lib" ]; then
    # The checkout belongs to another user: use the existing program.
    [ -f "$jar" ] && return
    jar=$built/ralph.jar
    lib=$built/lib
    [ -f "$jar" ] || die "must be built first, but $root is not writable; run mvn package there"
    return
  fi
  waited=0
  until mkdir "$lock" 2>/dev/null; do
    holder=$(cat "$lock/pid" 2>/dev/null)
    if [ -n "$holder" ] && ! kill -0 "$holder" 2>/dev/null && mkdir "$lock/taken" 2>/dev/null; then
      # The holder was killed. Only one process can create lock/taken; this process becomes the holder.
      break
    fi
    [ "$waited" -lt 900 ] || die "waited 15 minutes for another build; if no build runs, remove $lock"
    waited=$((waited + 1))
    sleep 1
  done
  trap 'rm -rf "$lock"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  trap 'exit 129' HUP
  echo $$ >"$lock/pid"
  if ! is_current; then
    if [ ! -f "$built/ralph.jar" ] || [ "$root/.git/ORIG_HEAD" -nt "$built/ralph.jar" ]; then
      if ! build; then
        [ -f "$jar" ] || exit "$failure"
        echo 'ralph: continuing with the previously built program' >&2
      fi
    fi
    if [ -f "$built/ralph.jar" ]; then
      copy_store chronicle && copy_store postgres || die "cannot write $lib"
      cp "$built/ralph.jar" "$jar.$$" && mv -f "$jar.$$" "$jar" || die "cannot write $jar"
    else
      touch "$jar"
    fi
  fi
  rm -rf "$lock"
  trap - EXIT INT TERM HUP
}

prepare
