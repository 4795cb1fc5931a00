package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Checkout.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** On first use the launcher installs the program and creates archives of its classes. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class FirstStartIT {

  @TempDir Path folder;
  private Checkout checkout;
  private Path launcher;
  private Path work;

  @BeforeEach
  void makeACheckout() throws IOException {
    checkout = Checkout.in(folder);
    launcher = checkout.launcher();
    work = checkout.work();
  }

  @AfterEach
  void nothingMakesArchivesAnyMore() throws Exception {
    checkout.endMakers();
  }

  private Exit run(Map<String, String> variables, String... command) throws Exception {
    return checkout.run(variables, command);
  }

  private Exit ralph(String... words) throws Exception {
    return checkout.ralph(words);
  }

  @Test
  void concurrentFirstStarts_allSucceed() throws Exception {
    Exit exit =
        checkout.shell(
            "for i in 1 2 3 4; do \"$RALPH\" --version & done; wait; ls"
                + " \"${RALPH%/*}/target/launcher/lib\"");

    assertThat(exit.err()).isEmpty();
    assertThat(exit.out().lines().filter(line -> line.startsWith("ralph 0"))).hasSize(4);
    assertThat(exit.out().lines().filter(line -> !line.startsWith("ralph 0")))
        .containsExactly("chronicle", "postgres", "ralph.jar");
  }

  @Test
  void lockOfKilledBuilder_isTakenOver() throws Exception {
    Path lock = Files.createDirectories(checkout.root().resolve("target/launcher/lock"));
    Files.writeString(lock.resolve("pid"), "999999999\n");

    assertThat(ralph("--version").code()).isZero();
    assertThat(lock).doesNotExist();
  }

  @Test
  void firstStart_createsArchiveSilently() throws Exception {
    Exit first = ralph();
    assertThat(first.err()).isEmpty();
    checkout.awaitArchive();

    Exit second = ralph();

    assertThat(second).isEqualTo(first);
    assertThat(second.code()).isZero();
    assertThat(work).isEmptyDirectory();
  }

  /** Agents wait for an MCP server only for a short time, so its archive must exist early. */
  @Test
  void archives_areCreatedPerCommandAndStore() throws Exception {
    checkout.warm();

    assertThat(checkout.archives())
        .extracting(archive -> archive.getFileName().toString())
        .satisfiesExactlyInAnyOrder(
            name -> assertThat(name).matches("ralph\\.jar\\.(jsa|aot)"),
            name -> assertThat(name).matches("ralph\\.jar\\.mcp\\.(jsa|aot)"),
            name -> assertThat(name).matches("ralph\\.jar\\.mail\\.(jsa|aot)"),
            name -> assertThat(name).matches("ralph\\.jar\\.tx\\.(jsa|aot)"),
            name -> assertThat(name).matches("ralph\\.jar\\.agentmail\\.(jsa|aot)"),
            name -> assertThat(name).matches("ralph\\.jar\\.agent\\.(jsa|aot)"));
    assertThat(checkout.makers()).isEmpty();
    aStoreOnChronicleGetsAnArchive();
    checkout.endMakers();
    theStoreOnPostgresBringsItsDriverAndAnArchive();
  }

  private void aStoreOnChronicleGetsAnArchive() throws Exception {
    String store = "chronicle:" + folder.resolve("queue");

    Exit first = ralph("task", "add", "--create", "-n", "a", "one", "--store", store);
    Checkout.await("the archive for Chronicle", () -> hasArchiveFor("chronicle"));
    Exit second = ralph("tasks", "-n", "a", "--store", store);

    assertThat(first.code()).as(first.err()).isZero();
    assertThat(second.out()).contains("one");
    assertThat(second.err()).isEmpty();
  }

  private void theStoreOnPostgresBringsItsDriverAndAnArchive() throws Exception {
    String store = "postgres://127.0.0.1:1/team";

    Exit first = ralph("message", "-n", "a", "hello", "--store", store);
    Checkout.await("the archive for PostgreSQL", () -> hasArchiveFor("postgres"));
    Exit second = ralph("tasks", "-n", "a", "--store=" + store);

    for (Exit exit : List.of(first, second)) {
      assertThat(exit.code()).isEqualTo(1);
      assertThat(exit.err()).contains("can't open " + store, "refused").hasLineCount(1);
    }
  }

  private boolean hasArchiveFor(String store) {
    return checkout.archives().stream()
        .anyMatch(
            archive -> archive.getFileName().toString().matches(".*\\." + store + "\\.[a-z]+"));
  }

  /**
   * With the mark, a loop would kill the process as one of its agent's processes, or wait for it.
   */
  @Test
  void archiveMaker_doesNotInheritLoopMark() throws Exception {
    Path seen = folder.resolve("seen");
    Path home = Files.createDirectories(folder.resolve("a jdk/bin")).getParent();
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
    Path java =
        Files.writeString(
            home.resolve("bin/java"),
            """
            #!/bin/sh
            case "$*" in
              *ralph.training=*)
                tr '\\0' '\\n' </proc/$PPID/environ >"$SEEN.new"
                tr '\\0' '\\n' </proc/$$/environ >>"$SEEN.new"
                echo end >>"$SEEN.new"
                mv "$SEEN.new" "$SEEN"
                ;;
              *) echo "${RALPH_MARK-none}" ;;
            esac
            """);
    assertThat(java.toFile().setExecutable(true)).isTrue();

    Exit exit =
        run(
            Map.of("JAVA_HOME", home.toString(), "RALPH_MARK", "a-mark", "SEEN", seen.toString()),
            launcher.toString());
    Checkout.await("the maker of the archive", () -> Files.exists(seen));

    assertThat(exit.out()).as("output of the command itself").isEqualTo("a-mark\n");
    assertThat(Files.readString(seen)).contains("SEEN=").doesNotContain("a-mark").endsWith("end\n");
  }

  /** Otherwise each attempt would leave some megabytes. */
  @Test
  void failedArchive_leavesNoFiles() throws Exception {
    Path tried = folder.resolve("tried");
    Path home = Files.createDirectories(folder.resolve("a jdk 25/bin")).getParent();
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
    Path java =
        Files.writeString(
            home.resolve("bin/java"),
            """
            #!/bin/sh
            for word; do
              case $word in
                -XX:AOTCacheOutput=*)
                  echo half >"${word#*=}.config"
                  ls "${word#*=}.config" >"$TRIED"
                  exit 1
                  ;;
              esac
            done
            """);
    assertThat(java.toFile().setExecutable(true)).isTrue();

    Exit exit =
        run(Map.of("JAVA_HOME", home.toString(), "TRIED", tried.toString()), launcher.toString());

    assertThat(exit.code()).isZero();
    Checkout.await("a try", () -> Files.exists(tried) && tried.toFile().length() > 0);
    Path config = Path.of(Files.readString(tried).strip());
    assertThat(config.toString()).endsWith(".config");
    Checkout.await("its end", () -> Files.notExists(config));
  }

  @Test
  void invalidArchive_isIgnored() throws Exception {
    Exit first = ralph();
    checkout.awaitArchive();
    Path archive = checkout.archiveOfCommands();
    Files.delete(archive);
    Files.writeString(archive, "garbage");
    Files.setLastModifiedTime(archive, FileTime.from(Instant.now().plusSeconds(5)));

    assertThat(ralph()).isEqualTo(first);
  }
}
