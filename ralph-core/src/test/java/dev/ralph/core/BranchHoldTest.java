package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.core.internal.branch.BranchHold;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.ContendedException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real processes that compete for one branch. */
@Timeout(120)
class BranchHoldTest {

  @TempDir Path folder;
  private final List<Process> started = new ArrayList<>();

  @BeforeEach
  void repository() throws InterruptedException {
    assertThat(new Git(folder, Duration.ofMinutes(1)).run("init", "--quiet").isGood()).isTrue();
  }

  @AfterEach
  void end() throws InterruptedException {
    for (Process process : started) {
      process.destroyForcibly().waitFor();
    }
  }

  /** The error never names a previous holder of the branch. */
  @Test
  void branchInUse_namesItsPresentHolder() throws Exception {
    Process killed = other("signs");
    assertThatThrownBy(this::take)
        .isInstanceOf(ContendedException.class)
        .hasMessageContaining("ralph/a is in use by process " + killed.pid() + " on ");
    killed.destroyForcibly().waitFor();

    Process unsigned = other("locks");
    assertThatThrownBy(this::take).hasMessageContaining("ralph/a is in use by another process;");
    unsigned.destroyForcibly().waitFor();

    take().close();
    other("locks");
    assertThatThrownBy(this::take).hasMessageContaining("ralph/a is in use by another process;");
  }

  @Test
  void killedOrClosedHolder_freesTheBranch() throws Exception {
    Process killed = other("signs");
    killed.destroyForcibly().waitFor();
    BranchHold held = take();
    try (held) {
      assertThatThrownBy(this::take).hasMessageContaining("in use by this process;");
    }
    take().close();
  }

  private BranchHold take() throws InterruptedException {
    return BranchHold.take(folder, "a");
  }

  private Process other(String how) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Other.class.getName(),
                folder.toString(),
                how)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    started.add(process);
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    assertThat(out.readLine()).isEqualTo("held");
    return process;
  }

  /** A program that holds the branch until its standard input ends. */
  static final class Other {
    public static void main(String[] arguments) throws Exception {
      Path folder = Path.of(arguments[0]);
      AutoCloseable held =
          arguments[1].equals("signs") ? BranchHold.take(folder, "a") : locked(folder);
      System.out.println("held");
      System.in.read();
      held.close();
    }

    /**
     * Locks the branch without recording the holder, as a process does before it writes its name.
     */
    private static FileChannel locked(Path folder) throws IOException {
      FileChannel channel =
          FileChannel.open(folder.resolve(".git/ralph/a.held"), StandardOpenOption.WRITE);
      channel.lock();
      return channel;
    }
  }
}
