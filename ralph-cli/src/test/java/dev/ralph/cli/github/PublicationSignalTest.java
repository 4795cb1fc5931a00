package dev.ralph.cli.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.TerminalProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ctrl+C while {@code ralph build --pr} pushes the branch. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PublicationSignalTest {

  @TempDir Path temporary;

  @Test
  void signalDuringPush_isReported() throws Exception {
    GitHubFolder gitHub = new GitHubFolder(temporary);
    gitHub.terminal().call("task", "add", "--create", "Add a dark mode");
    assertThat(gitHub.terminal().call("task", "done", "t1").code()).isZero();
    Path folder = temporary.toRealPath();
    Path hook = gitHub.origin().resolve("hooks/pre-receive");
    String script = "#!/bin/sh\ntouch %1$s/begun\nuntil [ -e %1$s/go ]; do sleep 0.1; done\n";
    Files.writeString(hook, String.format(script, folder));
    assertThat(hook.toFile().setExecutable(true)).isTrue();
    String[] build = {
      "build", "-n", "s", "--agent", "true", "--pr", "--gate", "sh -c 'echo $$ >new.txt'", "-i", "1"
    };
    TerminalProcess process =
        TerminalProcess.onATerminal(
            gitHub.shop(), Map.of("TERM", "xterm", "PATH", gitHub.path()), build);
    try {
      while (!Files.exists(folder.resolve("begun"))) {
        Thread.sleep(10);
      }
      process.type("\u0003");
      process.await(
          "stopping after a signal: the push and the pull request have up to 30s to end; branch,"
              + " tasks and session are kept; to try again, repeat the command");
      Files.createFile(folder.resolve("go"));
      process.await("opened the draft pull request");
      process.await("code 130 after " + process.modes());
    } finally {
      process.end();
    }
  }
}
