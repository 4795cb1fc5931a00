package dev.ralph.agentmail;

import dev.ralph.core.internal.process.GitCeilings;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/** The mailbox folder of a git repository. */
final class MailFolder {

  private static final String SUFFIX = ".jsonl";

  /** The folder that must contain the targets of all links. */
  private final Path top;

  private final Path folder;

  private MailFolder(Path top, Path folder) {
    this.top = top;
    this.folder = folder;
  }

  /**
   * Returns the mailbox folder of the repository that contains a directory: {@code
   * .agentmail/mailboxes} if it exists, beside the {@code .git} of this work tree or of the main
   * one; otherwise {@code mail} in the {@code .git} of the main work tree.
   *
   * @throws RalphException NOT_FOUND if the directory is in no repository; UNSUPPORTED if the
   *     {@code .git} of a work tree names a folder that is not a valid path in this locale
   */
  static MailFolder of(Path directory) {
    for (Path at : GitCeilings.ofProcess().upward(directory.toAbsolutePath())) {
      Path git = at.resolve(".git");
      if (Files.isDirectory(git)) {
        return in(at, git);
      }
      if (Files.isRegularFile(git)) {
        return in(at, commonFolder(git));
      }
    }
    throw RalphException.notFound(
        "not in a git repository: "
            + RalphException.quote(directory.toString())
            + "; change to a repository or run git init");
  }

  private static MailFolder in(Path tree, Path git) {
    Path main = git.getParent();
    for (Path top : main == null ? new Path[] {tree} : new Path[] {tree, main}) {
      Path later = top.resolve(".agentmail/mailboxes");
      if (Files.exists(later, LinkOption.NOFOLLOW_LINKS)) {
        return new MailFolder(top, later);
      }
    }
    return new MailFolder(git, git.resolve("mail"));
  }

  /**
   * Returns the git folder that the {@code .git} file of a linked work tree or a submodule names.
   */
  private static Path commonFolder(Path gitFile) {
    Path tree = gitFile.toAbsolutePath().getParent();
    String line = firstLine(gitFile);
    if (line == null || tree == null || !line.startsWith("gitdir:")) {
      throw RalphException.invalid(gitFile + " names no git folder; run git worktree repair");
    }
    Path own = resolve(tree, line.substring("gitdir:".length()).strip()).normalize();
    String common = firstLine(own.resolve("commondir"));
    Path git = common == null ? own : resolve(own, common).normalize();
    if (!Files.isDirectory(git)) {
      throw RalphException.notFound(
          gitFile + " names " + git + ", a missing folder; run git worktree repair");
    }
    return git;
  }

  private static @Nullable String firstLine(Path file) {
    try {
      String text = Files.readString(file);
      int end = text.indexOf('\n');
      return (end < 0 ? text : text.substring(0, end)).strip();
    } catch (IOException missing) {
      return null;
    }
  }

  Path path() {
    return folder;
  }

  /**
   * Returns the file of a recipient, or null if it does not exist.
   *
   * @throws RalphException UNSUPPORTED if the name is not a valid file name; INVALID if it is blank
   *     or leads out of the folder
   */
  @Nullable Path existing(String recipient) {
    requireTarget(folder);
    Path file = resolve(folder, fileName(recipient));
    return Files.exists(file, LinkOption.NOFOLLOW_LINKS) ? checked(file) : null;
  }

  /** Returns the file of a recipient, created if missing. */
  Path file(String recipient) {
    requireTarget(folder);
    Path file = resolve(folder, fileName(recipient));
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      try {
        if (!Files.isDirectory(folder)) {
          Files.createDirectories(
              folder,
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-x---")));
        }
        Files.createFile(
            checkedFolder().resolve(fileName(recipient)),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try (FileChannel made = FileChannel.open(folder)) {
          made.force(true);
        }
      } catch (FileAlreadyExistsException another) {
        // created concurrently by another process
      } catch (IOException e) {
        throw MailboxFile.failed("can't make", file, e);
      }
    }
    return checked(file);
  }

  /** Resolves a name that may not be a valid path in this JVM's locale. */
  private static Path resolve(Path folder, String name) {
    try {
      return folder.resolve(name);
    } catch (InvalidPathException e) {
      throw RalphException.unsupported(
          RalphException.quote(name)
              + " cannot be a file name: "
              + e.getReason()
              + "; use a UTF-8 locale, for example LC_ALL=C.UTF-8",
          e);
    }
  }

  private static String fileName(String recipient) {
    if (recipient.isBlank()) {
      throw RalphException.invalid("the mailbox name is blank; choose a name");
    }
    RalphException.requireUnicode("the mailbox name", recipient);
    String wrong =
        recipient.indexOf('/') >= 0 || recipient.indexOf('\0') >= 0
            ? "contains a slash"
            : recipient.equals(".") || recipient.equals("..") ? "names a folder" : null;
    if (wrong != null) {
      throw RalphException.unsupported(
          RalphException.quote(recipient)
              + " cannot be a mailbox name: "
              + wrong
              + "; rename the window with tmux rename-window");
    }
    return recipient + SUFFIX;
  }

  /** Rejects links out of the repository, which may come from an untrusted person. */
  private Path checkedFolder() throws IOException {
    Path real = folder.toRealPath();
    if (!real.startsWith(top.toRealPath())) {
      throw RalphException.invalid(
          folder + " is a link to a target outside of " + top + "; nothing was done");
    }
    return real;
  }

  /** Rejects a link without a target, which would look like a missing or unreadable mailbox. */
  private static void requireTarget(Path link) {
    if (Files.isSymbolicLink(link) && !Files.exists(link)) {
      String target;
      try {
        target = Files.readSymbolicLink(link).toString();
      } catch (IOException e) {
        throw MailboxFile.failed("can't read", link, e);
      }
      throw RalphException.invalid(
          link
              + " is a link to "
              + RalphException.quote(target)
              + ", a missing target; nothing was done. Create the target or remove the link");
    }
  }

  private Path checked(Path file) {
    requireTarget(file);
    try {
      Path real = file.toRealPath();
      if (!checkedFolder().equals(real.getParent())) {
        throw RalphException.invalid(
            file + " is a link to a target outside of the mailbox folder; nothing was done");
      }
      if (!Files.isRegularFile(real)) {
        throw RalphException.invalid(
            file + " is a folder or a device and cannot be a mailbox; move it away");
      }
      return real;
    } catch (IOException e) {
      throw MailboxFile.failed("can't read", file, e);
    }
  }
}
