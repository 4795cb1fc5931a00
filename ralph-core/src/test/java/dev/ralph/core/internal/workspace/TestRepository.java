package dev.ralph.core.internal.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.core.internal.process.Answer;
import dev.ralph.core.internal.process.Git;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A repository with a commit, and a change in it that its owner has not committed. */
record TestRepository(Path root) {

  static TestRepository in(Path root) throws Exception {
    Files.createDirectories(root.resolve("sub"));
    TestRepository made = new TestRepository(root);
    made.git("init", "--quiet", "-b", "main");
    made.git("config", "user.name", "Somebody");
    made.git("config", "user.email", "somebody@example.org");
    Files.writeString(root.resolve("a.txt"), "one\ntwo\nthree\n");
    Files.writeString(root.resolve("sub/b.txt"), "b\n");
    Files.writeString(root.resolve(".gitignore"), "built\nnode_modules/\n.env\n");
    made.git("add", ".");
    made.git("commit", "--quiet", "-m", "first");
    Files.writeString(root.resolve("a.txt"), "what its owner is at\n");
    return made;
  }

  String git(String... arguments) throws Exception {
    return git(root, arguments);
  }

  static String git(Path where, String... arguments) throws Exception {
    Answer answer = new Git(where, Duration.ofMinutes(2)).run(arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
    return answer.line();
  }

  String branches() throws Exception {
    return String.join(
        " ", git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads").lines().toList());
  }
}
