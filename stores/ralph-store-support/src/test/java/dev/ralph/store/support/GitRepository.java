package dev.ralph.store.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/** A folder in which tests run git without the user's settings. */
public final class GitRepository {

  /** The exit code and the output of a script. */
  public record Exit(int code, String said) {}

  private final Path folder;

  /** Creates a repository in the folder. */
  public GitRepository(Path folder) throws IOException, InterruptedException {
    this.folder = folder;
    git("init -q -b main");
  }

  /** Runs a git command, which must succeed, and returns its output. */
  public String git(String command) throws IOException, InterruptedException {
    return shell("git " + command);
  }

  /** Runs a script in the folder, which must succeed, and returns its output. */
  public String shell(String script) throws IOException, InterruptedException {
    Exit exit = run(script);
    assertThat(exit.code()).as("%s: %s", script, exit.said()).isZero();
    return exit.said();
  }

  /** Runs a script in the folder, up to the first command that fails. */
  public Exit run(String script) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder("sh", "-ec", script);
    builder.directory(folder.toFile()).redirectErrorStream(true);
    builder
        .environment()
        .putAll(
            Map.of(
                "GIT_CONFIG_GLOBAL", "/dev/null",
                "GIT_CONFIG_SYSTEM", "/dev/null",
                "GIT_AUTHOR_NAME", "test",
                "GIT_AUTHOR_EMAIL", "test@localhost",
                "GIT_COMMITTER_NAME", "test",
                "GIT_COMMITTER_EMAIL", "test@localhost",
                "LC_ALL", "C.UTF-8"));
    Process process = builder.start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Exit(process.waitFor(), said);
  }
}
