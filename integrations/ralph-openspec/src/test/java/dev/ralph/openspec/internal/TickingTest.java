package dev.ralph.openspec.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests concurrent ticks, and an editor that saves the file at the same time. */
@Timeout(300)
class TickingTest {

  private static final int TASKS = 500;

  @TempDir Path project;

  /** A process that ticks two of three tasks after a signal. */
  static final class Ticker {

    private Ticker() {}

    /** Waits for the end of the input, then ticks all tasks except every third. */
    public static void main(String[] args) throws IOException {
      int spared = Integer.parseInt(args[1]);
      try (Ralph ralph = Ralph.inMemory()) {
        ChangeSession work = ChangeSession.begin(ralph, Path.of(args[0]), "add-house", null);
        System.out.println("ready");
        System.in.read();
        for (int task = 1; task <= TASKS; task++) {
          if (task % 3 != spared) {
            Story after = work.done("1", "1." + task);
            if (!after.tasks().get(task - 1).done()) {
              throw new IllegalStateException("not ticked: 1." + task);
            }
          }
        }
      }
    }
  }

  private Path write() throws IOException {
    StringBuilder text = new StringBuilder("## 1. Doors\n");
    for (int task = 1; task <= TASKS; task++) {
      text.append("- [ ] 1.").append(task).append(" door\r\n");
    }
    Path folder = Files.createDirectories(project.resolve("openspec/changes/add-house"));
    return Files.writeString(folder.resolve("tasks.md"), text);
  }

  @Test
  void concurrentTicks_areAllKept() throws Exception {
    Path tasks = write();
    String before = Files.readString(tasks);
    List<Process> both = new ArrayList<>();
    try {
      for (int spared = 0; spared < 2; spared++) {
        both.add(start(spared));
      }
      for (Process each : both) {
        assertThat(each.inputReader().readLine()).isEqualTo("ready");
      }
      for (Process each : both) {
        each.getOutputStream().close();
      }
      for (Process each : both) {
        assertThat(each.waitFor()).isZero();
      }
    } finally {
      both.forEach(Process::destroyForcibly);
    }
    assertThat(Files.readString(tasks)).isEqualTo(before.replace("[ ]", "[x]"));
  }

  private Process start(int spared) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            Ticker.class.getName(),
            project.toString(),
            "" + spared);
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  @Test
  void concurrentEditor_findsOnlyTicksChanged() throws Exception {
    Path tasks = write();
    String last = "- [ ] 1." + TASKS + " door\r\n";
    AtomicBoolean over = new AtomicBoolean();
    CountDownLatch saving = new CountDownLatch(1);
    List<String> strange = new ArrayList<>();
    Thread editor =
        new Thread(
            () -> {
              Path draft = tasks.resolveSibling("draft");
              String saved = "";
              for (int line = 0; !over.get(); line++) {
                try {
                  String text = Files.readString(tasks);
                  if (text.equals(saved)) {
                    continue; // saves only after a tick; a save undoes ticks it has not read
                  }
                  if (!text.endsWith(last)) {
                    strange.add(text);
                  }
                  saved = "note " + line + "\n" + text.replaceAll("note .*\n", "");
                  Files.writeString(draft, saved);
                  // Most editors, git and sed replace the file instead of changing it.
                  Files.move(draft, tasks, StandardCopyOption.REPLACE_EXISTING);
                  saving.countDown();
                } catch (IOException e) {
                  strange.add(e.toString());
                }
              }
            });
    editor.start();
    saving.await();
    try (Ralph ralph = Ralph.inMemory()) {
      ChangeSession work = ChangeSession.begin(ralph, project, "add-house", null);
      for (int task = 1; task < TASKS; task++) {
        assertThat(work.done("1", "1." + task).tasks().get(task - 1).done()).isTrue();
      }
    } finally {
      over.set(true);
      editor.join();
    }
    assertThat(strange).isEmpty();
    assertThat(Files.readString(tasks).replaceAll("note .*\n", "").replace("[x]", "[ ]"))
        .isEqualTo(Files.readString(write()));
  }
}
