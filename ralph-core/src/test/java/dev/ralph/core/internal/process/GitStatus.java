package dev.ralph.core.internal.process;

import java.nio.file.Path;
import java.time.Duration;

/** A program that prints the changes and the merge base from git, for tests of its environment. */
final class GitStatus {

  private GitStatus() {}

  /** Prints the status of the repository in the first argument. */
  public static void main(String[] args) throws Exception {
    Git git = new Git(Path.of(args[0]), Duration.ofMinutes(2));
    System.out.print(git.run("status", "--porcelain", "--", ":/", ":(top,exclude).ralph").output());
    System.out.print(git.run("merge-base", "HEAD", "HEAD~1").output());
  }
}
