package dev.ralph.core.internal.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** Helpers for tests with real processes. */
final class Running {

  static final Duration SOON = Duration.ofMinutes(1);

  private Running() {}

  /** Returns the command of a shell script; the shell starts the children that tests need. */
  static ProcessSpec.Builder sh(String script) {
    return ProcessSpec.command("sh", "-c", script);
  }

  /** Returns a command that runs {@link Owner} in a new JVM. */
  static ProcessSpec.Builder owner(String... args) {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + "/bin/java");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add("-Xshare:auto");
    command.add(Owner.class.getName());
    command.addAll(List.of(args));
    return ProcessSpec.command(command);
  }

  static void await(String what, BooleanSupplier condition) {
    Deadline deadline = Deadline.after(SOON);
    while (!condition.getAsBoolean()) {
      assertThat(deadline.passed()).as("still waiting for: " + what).isFalse();
      try {
        Thread.sleep(5);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  static boolean isLive(long pid) {
    return ProcessHandle.of(pid).filter(ProcessTree::isLive).isPresent();
  }

  static Set<String> ourThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("ralph-process-"))
        .collect(Collectors.toSet());
  }

  /** Queues the lines that a process prints. */
  static final class Lines {

    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    void add(String line) {
      lines.add(line.strip());
    }

    String next() throws InterruptedException {
      String line = lines.poll(SOON.toSeconds(), TimeUnit.SECONDS);
      assertThat(line).as("a line of output").isNotNull();
      return line;
    }

    long nextPid() throws InterruptedException {
      return Long.parseLong(next());
    }
  }
}
