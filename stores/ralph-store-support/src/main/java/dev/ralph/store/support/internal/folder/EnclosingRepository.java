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
 * The git repository with a store in the work tree, and the file {@code info/exclude}; see
 * gitrepository-layout(5). Starting git would take longer than a short command, and git obeys
 * variables and the configuration of the repository.
 *
 * <p>The repository may come from an untrusted source. Therefore no file is read or written through
 * a link, and a file {@code .git} counts only if its target folder points back to it.
 */
final class EnclosingRepository {

  private static final String NAME = ".git";
  private static final String POINTER = "gitdir: ";

  /** Larger files are not read. */
  private static final int LARGEST = 1 << 20;

  private static final String SUBMODULE =
      "the repository of its .git file is ambiguous, as in a submodule or after"
          + " --separate-git-dir";

  /** The root folder of the work tree. */
  private final Path top;

  /** The store's path relative to {@link #top}. */
  private final Path path;

  /** The folder that all work trees share, or null if {@link #obstacle} returns a reason. */
  private final @Nullable Path common;

  /** The folder of this work tree: the common folder or a folder below it. */
  private final @Nullable Path own;

  private EnclosingRepository(Path top, Path path, @Nullable Path common, @Nullable Path own) {
    this.top = top;
    this.path = path;
    this.common = common;
    this.own = own;
  }

  /**
   * Returns the repository around a store, or null if none exists. The store need not exist.
   *
   * @throws IOException if a folder on the path can't be read
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

  /** Git ignores a folder named {@code .git} without these files. */
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

  /**
   * Returns the folder of a linked work tree if that folder points back to the file; otherwise
   * null.
   */
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

  // ---- ignore rules

  /** Returns true if git ignores the store even after files of the store are deleted. */
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
   * Returns the reason why git can't be configured to ignore the store reliably, or null if it can.
   *
   * @throws IOException if a file can't be read
   */
  @Nullable String obstacle() throws IOException {
    Path to = common;
    Path mine = own;
    if (to == null || mine == null) {
      return SUBMODULE;
    }
    if (!isPlain()) {
      return "its path has a character not allowed in git's info/exclude";
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

  /** Returns true if a known line excepts the store from the ignore rules. */
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

  /**
   * Returns true if the paths fit into one line of {@code info/exclude}, in the encoding that git
   * uses.
   */
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

  /** Returns true if the path exists and is neither a regular file nor a folder, as requested. */
  private static boolean isOther(Path at, boolean file) {
    try {
      BasicFileAttributes attributes =
          Files.readAttributes(at, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return file ? !attributes.isRegularFile() : !attributes.isDirectory();
    } catch (IOException missing) {
      return false;
    }
  }

  // ---- the rule in info/exclude

  /**
   * Adds the rule by which git ignores the store. Requires that {@link #obstacle} is null.
   *
   * @param again whether to add the rule even if an existing rule belongs to another work tree
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
      // in a single write, because other processes may append too
      out.write(lines.getBytes(StandardCharsets.ISO_8859_1));
      out.getFD().sync();
    }
    if (isNew) {
      PrivateFiles.giveToOwnerOfFolder(exclude);
    }
  }

  /** Returns true if a store existed at this path of this work tree. */
  boolean hadStore() throws IOException {
    Path to = common;
    return to != null && IgnoreRules.behind(text(exclude(to)), mark() + "\n" + rule()) >= 0;
  }

  /**
   * Returns the line before the rule, which names the work tree, because all work trees share the
   * file.
   */
  private String mark() {
    return "# The store of Ralph in " + latin(top) + ", which git must pass over";
  }

  private String rule() {
    return IgnoreRules.lineFor(latin(path));
  }

  /** Returns the UTF-8 bytes of a path, as git sees them, one character for each byte. */
  private static String latin(Path path) {
    byte[] bytes =
        path.toString().replace(File.separatorChar, '/').getBytes(StandardCharsets.UTF_8);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static Path exclude(Path common) {
    return common.resolve("info").resolve("exclude");
  }

  // ---- files

  /** Returns the contents of a file, one character for each byte; empty if the file is missing. */
  private static String text(Path file) throws IOException {
    byte[] bytes = bytes(file);
    return bytes.length == 0 ? "" : new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /**
   * Returns the contents of a file. Pipes, which could block forever, have length 0 and are not
   * read.
   */
  private static byte[] bytes(Path file) throws IOException {
    byte[] bytes = file.toFile().length() == 0 ? new byte[0] : PrivateFiles.read(file, LARGEST);
    if (bytes == null) {
      throw new IOException(file + " is too large");
    }
    return bytes;
  }
}
