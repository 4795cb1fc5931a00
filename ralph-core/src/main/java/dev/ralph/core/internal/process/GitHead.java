package dev.ralph.core.internal.process;

import dev.ralph.log.Meta;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The checked-out branch and commit of the Git work tree around a folder. Reads the files of the
 * repository, because running git takes longer than many agents. See gitrepository-layout. Runs git
 * only for a repository whose references are in reftables.
 *
 * @param branch null if no branch is checked out, or if it is unknown
 * @param commit null if there is no commit, or if it is unknown
 */
public record GitHead(@Nullable String branch, @Nullable String commit) {

  private static final GitHead NONE = new GitHead(null, null);
  private static final String REFERENCE = "ref: ";
  private static final String BRANCH = "refs/heads/";
  private static final String POINTER = "gitdir: ";

  /** The size limit of a file in bytes, because the contents of a repository are untrusted. */
  private static final long LONGEST = 16L * 1024 * 1024;

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Pattern ID = Pattern.compile("[0-9a-f]{40,64}");

  /** Returns whether a text has the form of a full commit id. */
  public static boolean isId(String text) {
    return ID.matcher(text).matches();
  }

  /**
   * Returns the present head of the work tree; without branch and commit if there is no work tree.
   */
  public static GitHead of(Path folder) {
    for (Path at : GitCeilings.ofProcess().upward(folder)) {
      Path git = at.resolve(".git");
      if (Files.exists(git)) {
        try {
          return read(at, git);
        } catch (IOException | InvalidPathException cantBeTold) {
          return NONE;
        }
      }
    }
    return NONE;
  }

  private static GitHead read(Path folder, Path git) throws IOException {
    Path own = git;
    if (Files.isRegularFile(git)) {
      String text = text(git);
      if (!text.startsWith(POINTER)) {
        return NONE;
      }
      own = git.resolveSibling(text.substring(POINTER.length()));
    }
    Path pointer = own.resolve("commondir");
    Path common = Files.exists(pointer) ? own.resolve(text(pointer)) : own;
    String head = text(own.resolve("HEAD"));
    if (!head.startsWith(REFERENCE)) {
      return new GitHead(null, id(head));
    }
    String name = head.substring(REFERENCE.length());
    if (Files.isDirectory(common.resolve("reftable"))) {
      return ask(new Git(folder, PATIENCE)); // the file HEAD is a placeholder
    }
    return name.startsWith(BRANCH)
        ? new GitHead(name.substring(BRANCH.length()), commit(common, name))
        : NONE;
  }

  private static GitHead ask(Git git) {
    String name = git.query("symbolic-ref", "--quiet", "HEAD").orElse("").strip();
    String commit = git.query("rev-parse", "--verify", "--quiet", "HEAD").orElse("").strip();
    return new GitHead(
        name.startsWith(BRANCH) ? name.substring(BRANCH.length()) : null, id(commit));
  }

  private static @Nullable String commit(Path common, String name) throws IOException {
    Path own = common.resolve(name);
    if (Files.exists(own)) {
      return id(text(own));
    }
    Path packed = common.resolve("packed-refs");
    String end = " " + name;
    return Files.exists(packed)
        ? text(packed)
            .lines()
            .filter(line -> line.endsWith(end))
            .map(line -> id(line.substring(0, line.length() - end.length())))
            .findFirst()
            .orElse(null)
        : null;
  }

  private static String text(Path file) throws IOException {
    if (!Files.isRegularFile(file) || Files.size(file) > LONGEST) {
      throw new IOException("not written by git");
    }
    return Files.readString(file).strip();
  }

  private static @Nullable String id(String text) {
    return isId(text) ? text : null;
  }

  /** Returns the object with the members {@code branch} and {@code commit} of this head. */
  public Meta in(Meta json) {
    return json.with("branch", branch).with("commit", commit);
  }
}
