package dev.ralph.core.sabotage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Sabotages of agents and users, each in three modes; {@link Judge} checks all of them alike. */
class SabotageTest {

  /** The number of parallel scenes, which mostly wait for git. */
  private static final int THREADS = 4;

  @TempDir static Path folder;

  private static final ExecutorService POOL = Executors.newFixedThreadPool(THREADS);

  private static Path template = Path.of("template");

  @BeforeAll
  static void repository() throws Exception {
    template = Files.createDirectories(folder.resolve("template"));
    git("init", "--quiet", "--template=", "-b", "main");
    git("config", "user.name", "Somebody");
    git("config", "user.email", "somebody@example.org");
    git("config", "gc.auto", "0");
    file("README.md", "Read me.\n");
    file(".gitignore", "build/\nconfig.local\n*.log\n");
    file("src/a.txt", "a\n");
    file("src/b.txt", "b\n");
    file("docs/guide.md", "Guide.\n");
    git("add", ".");
    git("commit", "--quiet", "-m", "first");
    Files.createDirectories(template.resolve(".git/hooks"));
    Files.createDirectories(template.resolve(".git/info"));
  }

  private static void file(String name, String text) throws IOException {
    Files.createDirectories(template.resolve(name).getParent());
    Files.writeString(template.resolve(name), text);
  }

  private static void git(String... arguments) throws InterruptedException {
    CommandResult answer = new Git(template, Duration.ofMinutes(1)).run(arguments);
    assertThat(answer.isGood()).as(answer.why()).isTrue();
  }

  @AfterAll
  static void end() {
    POOL.shutdownNow();
  }

  @TestFactory
  Stream<DynamicTest> sabotages_arePlayedAndJudged() {
    List<DynamicTest> tests = new ArrayList<>();
    for (Case each : cases()) {
      Future<?> played = POOL.submit(() -> each.play(folder, template));
      tests.add(dynamicTest(each.name(), () -> each.judge(played)));
    }
    return tests.stream();
  }

  /**
   * Returns every fifth row in one mode, each mode equally often. {@code -Dsabotage=REGEX} selects
   * from all rows and modes by name: {@code -Dsabotage=.} selects all.
   */
  static List<Case> cases() {
    String given = System.getProperty("sabotage", "");
    Pattern selection = Pattern.compile(given);
    List<Case> cases = new ArrayList<>();
    for (int i = 0; i < SabotageTable.ROWS.size(); i++) {
      Row row = SabotageTable.ROWS.get(i);
      for (Mode mode : row.modes) {
        Case made = new Case(row, mode);
        boolean isDefault = i % 5 == 0 && mode.ordinal() == i / 5 % Mode.values().length;
        if (given.isEmpty() ? isDefault : selection.matcher(made.name()).find()) {
          cases.add(made);
        }
      }
    }
    return cases;
  }

  /** A row in a mode. */
  record Case(Row row, Mode mode) {

    String name() {
      return row.name + " [" + mode + "]";
    }

    /** Plays the row in its own folder. */
    @Nullable Void play(Path folder, Path template) throws Exception {
      String name = SabotageTable.ROWS.indexOf(row) + "-" + mode;
      new Scene(row, mode, folder.resolve(name), template).play();
      return null;
    }

    private void judge(Future<?> played) throws Throwable {
      Throwable thrown = null;
      try {
        played.get(10, TimeUnit.MINUTES);
      } catch (ExecutionException e) {
        thrown = e.getCause();
      }
      if (!row.faults.contains(mode)) {
        if (thrown != null) {
          throw thrown;
        }
      } else if (thrown == null) {
        fail(name() + " passes; remove its fault mark");
      } else {
        abort("known fault: " + thrown.getMessage());
      }
    }
  }
}
