package dev.ralph.core.sabotage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The user or an agent that works in a folder. The content that an actor writes is registered, and
 * the judge searches for it afterwards.
 */
final class Actor {

  private final Scene scene;
  private final String name;
  private final Path folder;
  private final int attempt;

  Actor(Scene scene, String name, Path folder, int attempt) {
    this.scene = scene;
    this.name = name;
    this.folder = folder;
    this.attempt = attempt;
  }

  Scene scene() {
    return scene;
  }

  /** Returns the attempt of this agent at its task, from 1. */
  int attempt() {
    return attempt;
  }

  Path folder() {
    return folder;
  }

  Path path(String file) {
    return folder.resolve(file);
  }

  /** Returns the same actor in a subfolder. */
  Actor in(String subfolder) throws IOException {
    return new Actor(scene, name, Files.createDirectories(folder.resolve(subfolder)), attempt);
  }

  // ---- files

  /** Writes a file with unique content. */
  Actor write(String file) throws IOException {
    return raw(file, unique(file));
  }

  String unique(String file) {
    return name + " wrote " + file + ", " + scene.nextNumber() + "\n";
  }

  /** Writes a file with a given text. */
  Actor raw(String file, String text) throws IOException {
    return raw(file, text.getBytes(StandardCharsets.UTF_8));
  }

  Actor raw(String file, byte[] content) throws IOException {
    Path path = path(file);
    Files.createDirectories(path.getParent());
    if (Files.isRegularFile(path)) {
      scene.forget(Files.readAllBytes(path)); // the actor replaces its own content
    }
    Files.write(path, content);
    scene.register(file, content);
    return this;
  }

  /** Writes a file that may be lost with its discarded folder, if the output names the file. */
  Actor writeIgnored(String file) throws IOException {
    write(file);
    scene.ignored(file, Files.readAllBytes(path(file)));
    return this;
  }

  /** Appends a line to a file, which may be tracked. */
  Actor append(String file) throws IOException {
    return raw(file, (Files.exists(path(file)) ? Files.readString(path(file)) : "") + unique(file));
  }

  /** Creates a symbolic link. */
  Actor link(String file, String target) throws IOException {
    Path path = path(file);
    Files.createDirectories(path.getParent());
    Files.createSymbolicLink(path, Path.of(target));
    scene.register(file, target.getBytes(StandardCharsets.UTF_8));
    return this;
  }

  /** Deletes a file or folder on purpose; its content is no longer registered. */
  Actor delete(String file) throws IOException {
    scene.forgetTree(path(file));
    Scene.deleteTree(path(file));
    return this;
  }

  /** Writes an executable script. */
  Actor script(String file, String text) throws IOException {
    raw(file, text);
    assertThat(path(file).toFile().setExecutable(true)).isTrue();
    return this;
  }

  // ---- commands

  /** Runs git, which must succeed, and returns its output without trailing white space. */
  String git(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    return run(true, command);
  }

  /** Runs git, which may fail. */
  Actor tryGit(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    run(false, command);
    return this;
  }

  /** Commits all files that {@code git add --all} stages. */
  Actor commit(String message) throws Exception {
    git("add", "--all");
    git("commit", "--quiet", "--no-verify", "-m", message);
    return this;
  }

  /** Runs a shell script, which must succeed. */
  String shell(String script) throws Exception {
    return run(true, List.of("sh", "-c", script));
  }

  private String run(boolean mustSucceed, List<String> command) throws Exception {
    Path output = Files.createTempFile(scene.base(), "output", "");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(output.toFile());
    builder.environment().put("GIT_EDITOR", "true");
    builder.environment().put("GIT_TERMINAL_PROMPT", "0");
    Process process = builder.start();
    boolean ended = process.waitFor(60, TimeUnit.SECONDS);
    if (!ended) {
      process.destroyForcibly();
    }
    String said = Files.readString(output, StandardCharsets.ISO_8859_1).stripTrailing();
    Files.delete(output);
    assertThat(ended).as("end of " + command).isTrue();
    if (mustSucceed) {
      assertThat(process.exitValue()).as(command + " in " + folder + ": " + said).isZero();
    }
    return said;
  }
}
