package dev.ralph.store.support.internal.folder;

import dev.ralph.store.support.PrivateFiles;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The git repository whose work tree a store lies in, and its file {@code info/exclude}: see
 * gitrepository-layout(5). Git is not asked, because that takes longer than a short command, and
 * obeys variables and the repository's configuration.
 *
 * <p>The repository may have come from somebody else. So nothing is read or written through a link,
 * and a file {@code .git} counts only if the folder that it names points back at it.
 */
final class EnclosingRepository {

  private static final String NAME = ".git";
  private static final String POINTER = "gitdir: ";

  /** A larger file is not read. */
  private static final int LARGEST = 1 << 20;

  private static final String SUBMODULE =
      "its .git does not say for certain which repository it is: a submodule's is such, and one"
          + " made by --separate-git-dir";

  /** The top folder of the work tree. */
  private final Path top;

  /** The store, seen from there. */
  private final Path path;

  /** The folder that all work trees share, or null where {@link #obstacle} says why not. */
  private final @Nullable Path common;

  /** The folder of this work tree's own, within the other one or the same. */
  private final @Nullable Path own;

  private EnclosingRepository(Path top, Path path, @Nullable Path common, @Nullable Path own) {
    this.top = top;
    this.path = path;
    this.common = common;
    this.own = own;
  }

  /**
   * Returns the repository around a store, which need not be there; null if there is none.
   *
   * @throws IOException if that can't be found out
   */
  static @Nullable EnclosingRepository of(Path store) throws IOException {
    Path real = real(store);
    for (Path at = real.getParent(); at != null; at = at.getParent()) {
      File git = new File(at.toString(), NAME);
      if (git.exists() && (!git.isDirectory() || isRepository(git))) {
        Path path = at.relativize(real);
        return isWithinGit(path) ? null : of(at, path, git.toPath());
      }
    }
    return null;
  }

  private static EnclosingRepository of(Path top, Path path, Path git) throws IOException {
    BasicFileAttributes attributes =
        Files.readAttributes(git, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (attributes.isDirectory()) {
      boolean isMain = !new File(git.toString(), "commondir").exists();
      return new EnclosingRepository(top, path, isMain ? git : null, git);
    }
    Path own = attributes.isRegularFile() ? ownFolder(git) : null;
    Path common = own == null ? null : commonFolder(own);
    return new EnclosingRepository(top, path, common, own);
  }

  /** Git passes over a folder of that name that lacks one of these. */
  private static boolean isRepository(File git) {
    return new File(git, "HEAD").exists()
        && new File(git, "objects").isDirectory()
        && new File(git, "refs").isDirectory();
  }

  private static boolean isWithinGit(Path path) {
    for (Path name : path) {
      if (name.toString().equals(NAME)) {
        return true;
      }
    }
    return false;
  }

  private static Path real(Path store) throws IOException {
    Path absolute = store.toAbsolutePath();
    try {
      return absolute.toRealPath();
    } catch (NoSuchFileException missing) {
      Path parent = absolute.getParent();
      if (parent == null) {
        throw missing;
      }
      return real(parent).resolve(absolute.getFileName());
    }
  }

  /** Returns the folder of a work tree that was added, if it points back; else null. */
  private static @Nullable Path ownFolder(Path git) {
    try {
      String text = line(git);
      if (!text.startsWith(POINTER)) {
        return null;
      }
      Path own = git.resolveSibling(text.substring(POINTER.length())).toRealPath();
      Path back = own.resolve(line(own.resolve("gitdir"))).toRealPath();
      return back.equals(git) ? own : null;
    } catch (IOException | InvalidPathException broken) {
      return null;
    }
  }

  private static @Nullable Path commonFolder(Path own) {
    try {
      Path common = own.resolve(line(own.resolve("commondir"))).toRealPath();
      return common.resolve("worktrees").equals(own.getParent()) ? common : null;
    } catch (IOException | InvalidPathException broken) {
      return null;
    }
  }

  private static String line(Path file) throws IOException {
    return new String(bytes(file), StandardCharsets.UTF_8).stripTrailing();
  }

  // ---- what is ignored

  /** Returns whether git ignores the store for certain, whatever is deleted of it. */
  boolean ignores() throws IOException {
    Path to = common;
    if (to == null || !isPlain()) {
      return false;
    }
    String text = text(exclude(to));
    int behind = IgnoreRules.behind(text, rule());
    return behind >= 0 && exception(text, behind) == null;
  }

  /**
   * Returns why git can't be made to ignore the store for certain, or null if it can.
   *
   * @throws IOException if that can't be found out
   */
  @Nullable String obstacle() throws IOException {
    Path to = common;
    Path mine = own;
    if (to == null || mine == null) {
      return SUBMODULE;
    }
    if (!isPlain()) {
      return "its path has a character that can't stand in git's info/exclude";
    }
    if (setsWorkTree(to.resolve("config"))
        || setsWorkTree(to.resolve("config.worktree"))
        || setsWorkTree(mine.resolve("config.worktree"))) {
      return "the repository's configuration sets core.worktree";
    }
    Path exclude = exclude(to);
    if (isOther(to.resolve("info"), false) || isOther(exclude, true)) {
      return exclude + " is a link";
    }
    String text = text(exclude);
    int behind = IgnoreRules.behind(text, rule());
    String exception = exception(text, behind < 0 ? text.length() : behind);
    if (exception != null) {
      return exception;
    }
    return behind >= 0 || isWritable(exclude) ? null : exclude + " can't be written to";
  }

  /** Returns whether a line is known that lets git have the store after all. */
  boolean hasException() throws IOException {
    Path to = common;
    if (to == null || !isPlain()) {
      return false;
    }
    String text = text(exclude(to));
    int behind = IgnoreRules.behind(text, rule());
    return exception(text, behind < 0 ? text.length() : behind) != null;
  }

  private @Nullable String exception(String excluded, int from) throws IOException {
    String wanted = latin(path);
    String line = IgnoreRules.exceptionIn(excluded, from, wanted);
    if (line != null) {
      return "info/exclude has the line " + line;
    }
    Path folder = top;
    for (int i = 0; i < path.getNameCount(); i++) {
      Path file = folder.resolve(".gitignore");
      line = IgnoreRules.exceptionIn(text(file), 0, latin(path.subpath(i, path.getNameCount())));
      if (line != null) {
        return file + " has the line " + line;
      }
      folder = folder.resolve(path.getName(i));
    }
    return null;
  }

  /** Returns whether the paths can stand in a line each, as the bytes that git sees. */
  private boolean isPlain() {
    boolean utf8 =
        System.getProperty("sun.jnu.encoding", Charset.defaultCharset().name())
            .equalsIgnoreCase("UTF-8");
    String all = top.resolve(path).toString();
    for (int i = 0; i < all.length(); i++) {
      char next = all.charAt(i);
      if (next < ' ' || next > '~' && !utf8) {
        return false;
      }
    }
    return true;
  }

  private static boolean setsWorkTree(Path config) throws IOException {
    String text = text(config).toLowerCase(Locale.ROOT);
    String key = "worktree";
    for (int at = text.indexOf(key); at >= 0; at = text.indexOf(key, at + 1)) {
      String before = text.substring(0, at).stripTrailing();
      String after = text.substring(at + key.length()).stripLeading();
      boolean begins = before.isEmpty() || before.endsWith("]") || isLineBegin(text, at);
      if (begins && after.startsWith("=")) {
        return true;
      }
    }
    return false;
  }

  private static boolean isLineBegin(String text, int at) {
    return text.substring(text.lastIndexOf('\n', at) + 1, at).isBlank();
  }

  private static boolean isWritable(Path exclude) {
    File file = exclude.toFile();
    File info = file.getParentFile();
    return file.exists() ? file.canWrite() : info.exists() ? info.canWrite() : true;
  }

  /** Returns whether there is something else at that path than a file or a folder. */
  private static boolean isOther(Path at, boolean file) {
    try {
      BasicFileAttributes attributes =
          Files.readAttributes(at, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return file ? !attributes.isRegularFile() : !attributes.isDirectory();
    } catch (IOException missing) {
      return false;
    }
  }

  // ---- the line

  /**
   * Lets git ignore the store. Only where {@link #obstacle} has found none.
   *
   * @param again whether to say once more that there is a store in this work tree
   */
  void ignore(boolean again) throws IOException {
    Path exclude = exclude(Objects.requireNonNull(common, "an obstacle"));
    String text = text(exclude);
    if (IgnoreRules.behind(text, again ? mark() + "\n" + rule() : rule()) >= 0) {
      return;
    }
    Path info = exclude.resolveSibling("");
    if (!info.toFile().exists()) {
      Files.createDirectory(info);
      PrivateFiles.giveToOwnerOfFolder(info);
    }
    boolean isNew = !exclude.toFile().exists();
    String lines =
        (text.isEmpty() || text.endsWith("\n") ? "" : "\n") + mark() + "\n" + rule() + "\n";
    try (FileOutputStream out = new FileOutputStream(exclude.toFile(), true)) {
      out.write(lines.getBytes(StandardCharsets.ISO_8859_1)); // at once: others may append, too
      out.getFD().sync();
    }
    if (isNew) {
      PrivateFiles.giveToOwnerOfFolder(exclude);
    }
  }

  /** Returns whether there was a store here, in this very work tree. */
  boolean hadStore() throws IOException {
    Path to = common;
    return to != null && IgnoreRules.behind(text(exclude(to)), mark() + "\n" + rule()) >= 0;
  }

  /** All work trees share the file, so the line before the rule says which one this is for. */
  private String mark() {
    return "# The store of Ralph in " + latin(top) + ", which git must pass over";
  }

  private String rule() {
    return IgnoreRules.lineFor(latin(path));
  }

  /** Returns the bytes of a path as git sees them, a character each. */
  private static String latin(Path path) {
    byte[] bytes =
        path.toString().replace(File.separatorChar, '/').getBytes(StandardCharsets.UTF_8);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static Path exclude(Path common) {
    return common.resolve("info").resolve("exclude");
  }

  // ---- files

  /** Returns what a file holds, a character for each byte; nothing where there is none. */
  private static String text(Path file) throws IOException {
    byte[] bytes = bytes(file);
    return bytes.length == 0 ? "" : new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** A pipe, which may never end, has no length, and is not read. */
  private static byte[] bytes(Path file) throws IOException {
    byte[] bytes = file.toFile().length() == 0 ? new byte[0] : PrivateFiles.read(file, LARGEST);
    if (bytes == null) {
      throw new IOException(file + " is too large to be looked through");
    }
    return bytes;
  }
}
