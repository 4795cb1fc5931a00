package dev.ralph.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A Git repository with one commit, and methods to change it. */
final class ReviewRepository {

  private final Path folder;

  ReviewRepository(Path folder) throws IOException, InterruptedException {
    this.folder = Files.createDirectories(folder);
    git("init", "-q", "-b", "main");
    git("config", "user.name", "Ann");
    git("config", "user.email", "ann@example.org");
    write("src/login/Form.java", "class Form {\n  int port = 80;\n}\n");
    write("README.md", "# Shop\n");
    commit("Begin");
  }

  Path folder() {
    return folder;
  }

  void write(String path, String text) throws IOException {
    Path file = folder.resolve(path);
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    Files.writeString(file, text);
  }

  /** Commits all files, and returns the id of the commit. */
  String commit(String subject) throws IOException, InterruptedException {
    git("add", "-A");
    git("commit", "-q", "-m", subject);
    return git("rev-parse", "HEAD");
  }

  /** Commits changes on a new branch of a session, and returns to the main branch. */
  String branch(String session) throws IOException, InterruptedException {
    git("switch", "-q", "-c", "ralph/" + session);
    write("src/login/Form.java", "class Form {\n  int port = 8080;\n  // <img src=x>\n}\n");
    write("src/login/deep/Check.java", "class Check {}\n");
    String commit = commit("Use port 8080");
    git("switch", "-q", "main");
    return commit;
  }

  String git(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    Process git =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(git.waitFor()).as(command + ": " + said).isZero();
    return said.strip();
  }
}
