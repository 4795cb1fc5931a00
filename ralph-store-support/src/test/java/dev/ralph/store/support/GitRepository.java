package dev.ralph.store.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A folder in which git is run, apart from the user's own settings. */
public final class GitRepository {

  private final Path folder;

  /** Makes the folder a repository. */
  public GitRepository(Path folder) throws IOException, InterruptedException {
    this.folder = folder;
    git("init -q -b main");
  }

  /** Runs git with the words of the command, which must succeed, and returns what it prints. */
  public String git(String command) throws IOException, InterruptedException {
    List<String> words =
        new ArrayList<>(List.of("git", "-c", "user.name=test", "-c", "user.email=test@localhost"));
    words.addAll(List.of(command.split(" ")));
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.directory(folder.toFile()).redirectErrorStream(true);
    builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
    builder.environment().put("GIT_CONFIG_SYSTEM", "/dev/null");
    Process process = builder.start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as("%s: %s", command, said).isZero();
    return said;
  }
}
