package dev.ralph.core;

import dev.ralph.core.BranchMerger.Piece;
import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A file whose text is computed for each merge; changes of the merged work to it are dropped, or
 * merged without conflicts. Edited in Git trees with a separate index, without a checkout.
 */
final class MergedFile {

  private static final String MISSING = "";
  private static final String BLOB = " blob ";

  /** The length of hexadecimal SHA-1 object names. */
  private static final int SHA_1 = 40;

  private final Git git;
  private final String path;
  private final BiFunction<Piece, String, String> text;
  private final boolean keepsEdits;

  /**
   * Creates the editor of a file.
   *
   * @param file the path in the repository
   * @param keepsEdits whether changes of the merged work are merged
   */
  MergedFile(Git git, Path file, BiFunction<Piece, String, String> text, boolean keepsEdits) {
    this.git = git;
    this.path = file.toString().replace(file.getFileSystem().getSeparator(), "/");
    this.text = Objects.requireNonNull(text, "text");
    this.keepsEdits = keepsEdits;
  }

  /**
   * Returns the work without its changes of the file, which gets the branch's content.
   *
   * @param top the newest commit of the branch
   * @param work a commit
   * @return a child commit of the work, or the work itself if the file is equal
   */
  String leftOut(String top, String work) throws InterruptedException {
    String there = entry(top);
    if (there.equals(entry(work))) {
      return work;
    }
    String tree = with(work + "^{tree}", there);
    return ask("commit-tree", "-p", work, "-m", "Without " + path, tree);
  }

  /**
   * Returns a tree with the file's text for a piece.
   *
   * @param top the newest commit of the branch
   * @param work the commit of the piece
   */
  String edited(String tree, Piece piece, String top, String work) throws InterruptedException {
    String there = entry(tree);
    String mode = there.equals(MISSING) ? "100644" : there.substring(0, there.indexOf(' '));
    String before = textOrEmpty(there);
    String merged = keepsEdits ? withEdits(before, top, work) : before;
    String after = Objects.requireNonNull(text.apply(piece, merged), "the text of " + path);
    return after.equals(before) ? tree : with(tree, mode + BLOB + written(after));
  }

  /** Returns the text on the branch with the edits of a work. A deleted file is no edit. */
  private String withEdits(String there, String top, String work) throws InterruptedException {
    String edited = entry(work);
    if (edited.equals(MISSING)) {
      return there;
    }
    String base = ask("merge-base", top, work);
    return MergedEdits.merge(git, textOrEmpty(entry(base)), there, text(edited));
  }

  /**
   * Returns the reason that the edits of a work can't be merged, for its author; null for no
   * reason.
   */
  @Nullable String problem(String work) throws InterruptedException {
    if (keepsEdits) {
      try {
        if (textOrEmpty(entry(work)).indexOf('\0') >= 0) {
          return path + " contains a NUL character; remove the character";
        }
      } catch (RalphException e) {
        return e.getMessage();
      }
    }
    return null;
  }

  private String textOrEmpty(String entry) throws InterruptedException {
    return entry.equals(MISSING) ? "" : text(entry);
  }

  /**
   * Returns mode, type and object of the file in Git's format; an empty string if it is missing.
   */
  private String entry(String tree) throws InterruptedException {
    String line = ask("--literal-pathspecs", "ls-tree", "--full-tree", "-z", tree, "--", path);
    int end = line.indexOf('\t');
    if (end < 0) {
      return MISSING;
    }
    if (!line.startsWith("100")) {
      throw RalphException.invalid(
          path + " is not a regular file in the repository; replace the entry by a file");
    }
    return line.substring(0, end);
  }

  private String text(String entry) throws InterruptedException {
    String object = entry.substring(entry.lastIndexOf(' ') + 1);
    String text = GitTrees.require("git cat-file", git.run("cat-file", "blob", object)).output();
    if (!name(text, object.length()).equals(object)) {
      throw RalphException.invalid(
          path + " is too long or not valid UTF-8; shorten or convert the file");
    }
    return text;
  }

  /**
   * Returns Git's object name of a text in UTF-8.
   *
   * @param length the length of object names in this repository
   */
  private static String name(String text, int length) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try {
      MessageDigest digest = MessageDigest.getInstance(length == SHA_1 ? "SHA-1" : "SHA-256");
      digest.update(("blob " + bytes.length + "\0").getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest.digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-1 and SHA-256", e);
    }
  }

  private String written(String text) throws InterruptedException {
    return GitTrees.require(
            "git hash-object", git.runWith(text, "hash-object", "-w", "--no-filters", "--stdin"))
        .line();
  }

  private String with(String tree, String entry) throws InterruptedException {
    Path folder = null;
    try {
      folder = Files.createTempDirectory("ralph-index");
      Git own = git.withIndex(folder.resolve("index"));
      GitTrees.require("git read-tree", own.run("read-tree", tree));
      GitTrees.require(
          "git update-index",
          entry.equals(MISSING)
              ? own.run("update-index", "--force-remove", "--", path)
              : own.runWith(
                  entry.replace(BLOB, " ") + "\t" + path + "\0",
                  "update-index",
                  "-z",
                  "--index-info"));
      return GitTrees.require("git write-tree", own.run("write-tree")).line();
    } catch (IOException e) {
      throw RalphException.io("can't create a folder for a Git index", e);
    } finally {
      delete(folder);
    }
  }

  private static void delete(@Nullable Path folder) {
    if (folder != null) {
      try {
        Files.deleteIfExists(folder.resolve("index"));
        Files.deleteIfExists(folder);
      } catch (IOException left) {
        // The folder is in the system's temporary folder.
      }
    }
  }

  private String ask(String... arguments) throws InterruptedException {
    return GitTrees.require("git " + arguments[0], git.run(arguments)).line();
  }
}
