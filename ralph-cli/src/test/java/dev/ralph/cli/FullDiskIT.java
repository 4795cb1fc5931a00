package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.ralph.cli.Checkout.Exit;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Several agents on a disk that becomes full, while they work in their work trees and their
 * branches are merged.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Tag("slow")
class FullDiskIT {

  /**
   * Works, fills the disk after both agents have worked, and completes its task in a store on
   * another disk.
   */
  private static final String AGENT =
      """
      cat >/dev/null
      task=$(git branch --show-current)
      task=${task##*.}
      echo "work of $task" >$task
      touch "$AT/$task"
      if [ ! -e "$AT/room" ]; then
        until [ -e "$AT/t1" ] && [ -e "$AT/t2" ]; do sleep 0.05; done
        cat /dev/zero >"$AT/disk/ballast" 2>/dev/null
      fi
      "$RALPH" task done $task
      """;

  private static final String SCRIPT =
      """
      mount -t tmpfs -o size=4m tmpfs disk || exit
      git init -q -b main disk/repo && cd disk/repo
      echo .ralph >.gitignore && git add . && git commit -q -m first
      "$RALPH" task add -n a --create One >/dev/null 2>&1
      "$RALPH" task add -n a Two >/dev/null
      build() {
        "$RALPH" build -n a --agents 2 --agent "sh $AT/agent.sh" --max-failures 1 "$@" >"$AT/out" 2>&1
        echo "$? $(git log --format=%s ralph/a | tr '\\n' ' ')"
        grep "ended:\\|^ralph: git" "$AT/out"
      }
      build --quiet
      build --quiet
      "$RALPH" tasks -n a
      rm "$AT/disk/ballast" && touch "$AT/room"
      echo "---- full while it merges"
      build --gate 'sh -c "cat /dev/zero >$AT/disk/ballast; true"'
      "$RALPH" tasks -n a
      rm "$AT/disk/ballast"
      echo "---- with room"
      build
      "$RALPH" tasks -n a
      cat t1 t2
      git fsck --no-dangling
      "$RALPH" branch discard
      """;

  @TempDir Path folder;

  @Test
  void fullDisk_losesNoWorkAndMarksNothingMerged() throws Exception {
    Checkout checkout = Checkout.shared(folder).elsewhere("work").committing();
    Exit mount = checkout.shell("mkdir disk && unshare -m mount -t tmpfs tmpfs disk");
    assumeThat(mount.code()).as("mounting needs root: " + mount.err()).isZero();
    checkout.file("agent.sh", AGENT);
    Path at = checkout.work();

    Exit exit =
        checkout.run(
            Map.of("RALPH_STORE", at.resolve("store").toString(), "AT", at.toString()),
            "unshare",
            "-m",
            "sh",
            "-c",
            SCRIPT);
    checkout.clear();

    String[] parts = exit.out().split("---- .*\n");
    assertThat(parts).as(exit.out() + exit.err()).hasSize(3);
    assertThat(parts[0])
        .startsWith("5 first \n")
        .contains("not merged: 2 changed files")
        .contains("\n1 first \n")
        .containsPattern("\nralph: git \\w+ in .* nothing can be written; is the disk full\\?")
        .doesNotContain("merged as")
        .containsPattern("t[12] .* remaining .*\\(can't commit the agent's work")
        .doesNotContain(" completed ");
    assertThat(parts[1])
        .startsWith("5 first \n")
        .contains("cannot merge: git ")
        .doesNotContain("merged as");
    assertThat(parts[2])
        .startsWith("0 ")
        .contains("completed", "work of t1\nwork of t2\n")
        .containsPattern("t1 .*merged as")
        .containsPattern("t2 .*merged as")
        .endsWith("Discarded ralph/a\n");
    assertThat(exit.err()).isEmpty();
  }
}
