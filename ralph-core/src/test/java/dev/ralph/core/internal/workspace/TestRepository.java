package dev.ralph.core.internal.workspace;

import dev.ralph.core.RepositoryTemplate;
import java.nio.file.Files;
import java.nio.file.Path;

/** A repository with a commit and an uncommitted change of the user. */
record TestRepository(Path root) {

  private static final RepositoryTemplate TEMPLATE =
      RepositoryTemplate.of(
          "first",
          "a.txt",
          "one\ntwo\nthree\n",
          "sub/b.txt",
          "b\n",
          ".gitignore",
          "built\nnode_modules/\n.env\n");

  static TestRepository in(Path root) throws Exception {
    TEMPLATE.copyTo(root);
    Files.writeString(root.resolve("a.txt"), "what its owner is at\n");
    return new TestRepository(root);
  }

  String git(String... arguments) throws Exception {
    return git(root, arguments);
  }

  static String git(Path where, String... arguments) throws Exception {
    return RepositoryTemplate.git(where, arguments);
  }

  String branches() throws Exception {
    return String.join(
        " ", git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads").lines().toList());
  }
}
