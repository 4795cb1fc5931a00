package dev.ralph.agentmail;

import dev.ralph.log.LockedException;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An open and locked mailbox file. */
final class MailboxFile implements AutoCloseable {

  private static final byte[] FALSE = "false".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] READ = "true ".getBytes(StandardCharsets.US_ASCII);

  /** The number of bad lines that are reported individually. */
  private static final int MAX_REPORTED = 3;

  private final Path path;
  private final MailboxLock lock;
  private final RandomAccessFile file;

  private MailboxFile(Path path, MailboxLock lock, RandomAccessFile file) {
    this.path = path;
    this.lock = lock;
    this.file = file;
  }

  /**
   * Locks and opens a mailbox.
   *
   * @return null if the file was removed during the wait; {@code agentmail cleanup} removes empty
   *     mailboxes
   * @throws LockedException if the file stayed locked
   * @throws RalphException IO if the file cannot be written
   */
  static @Nullable MailboxFile open(Path path) {
    Object before = key(path);
    if (before == null) {
      return null;
    }
    MailboxLock lock = MailboxLock.of(path);
    RandomAccessFile file = null;
    try {
      file = new RandomAccessFile(path.toFile(), "rw");
      MailboxFile opened = new MailboxFile(path, lock, file);
      // The lock belongs to the file, so check that the name still refers to this file.
      if (before.equals(key(path))) {
        lock = null;
        file = null;
        return opened;
      }
      return null;
    } catch (IOException e) {
      throw failed("can't open", path, e);
    } finally {
      if (lock != null) {
        closeQuietly(file);
        lock.close();
      }
    }
  }

  private static @Nullable Object key(Path path) {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    } catch (NoSuchFileException removed) {
      return null;
    } catch (IOException e) {
      throw failed("can't read", path, e);
    }
  }

  private static void closeQuietly(@Nullable RandomAccessFile file) {
    try {
      if (file != null) {
        file.close();
      }
    } catch (IOException nothingWasWritten) {
      // nothing was written, so nothing is lost
    }
  }

  /** Appends a message and syncs the file. */
  void append(AgentMessage message) {
    append(message.line(), "can't write to");
  }

  private void append(String text, String problem) {
    byte[] line = (text + "\n").getBytes(StandardCharsets.UTF_8);
    long end = -1;
    try {
      end = file.length();
      if (end > 0) {
        file.seek(end - 1);
        // A killed writer has left an incomplete line; end the line first.
        if (file.read() != '\n') {
          line = ("\n" + text + "\n").getBytes(StandardCharsets.UTF_8);
        }
      }
      requireLock();
      file.seek(end);
      file.write(line);
      file.getFD().sync();
    } catch (IOException e) {
      truncate(end);
      throw failed(problem, path, e);
    }
  }

  private void truncate(long end) {
    try {
      if (end >= 0 && lock.isHeld()) {
        file.setLength(end);
      }
    } catch (IOException e) {
      // the next writer starts a new line
    }
  }

  /**
   * Delivers the oldest unread message and then marks it as read.
   *
   * @param delivery called with the message; if it throws, the message stays unread
   * @param warnings called with warnings for invalid lines, which are skipped
   * @return the message, or null if all messages are read
   */
  @Nullable AgentMessage take(Consumer<AgentMessage> delivery, Consumer<String> warnings) {
    try {
      BadLines bad = new BadLines(warnings);
      MailLines lines = new MailLines(file);
      AgentMessage found = null;
      Runnable mark = () -> {};
      while (found == null && lines.next()) {
        if (!MailLine.isSurelyRead(lines)) {
          MailLine line = bad.check(lines);
          if (line != null && line.message() != null && !line.message().isRead()) {
            found = line.message();
            mark = mark(found, line, lines);
          }
        }
      }
      bad.reportRest();
      if (found != null) {
        delivery.accept(found);
        mark.run();
      }
      return found;
    } catch (IOException e) {
      throw failed("can't read", path, e);
    }
  }

  /** Returns an action that marks a message as read. */
  private Runnable mark(AgentMessage message, MailLine line, MailLines lines) {
    long first = lines.offset() - lines.from();
    if (line.flagAt() >= 0) {
      return () -> overwrite(message, first + line.flagAt(), FALSE, READ);
    }
    // The line has no flag and no room for one: append the message with a flag and overwrite the
    // old line with line breaks.
    byte[] before = Arrays.copyOfRange(lines.bytes(), line.begin(), lines.to());
    byte[] nothing = new byte[before.length];
    Arrays.fill(nothing, (byte) '\n');
    String read = MailLine.read(lines.bytes(), line.begin(), lines.to());
    return () -> {
      append(read, notMarked(message));
      overwrite(message, first + line.begin(), before, nothing);
    };
  }

  private static String notMarked(AgentMessage message) {
    return "message " + message.id() + " was delivered and will be delivered again: can't write to";
  }

  /** Replaces bytes by as many others, if the file still contains the expected bytes. */
  private void overwrite(AgentMessage message, long at, byte[] before, byte[] after) {
    byte[] now = new byte[before.length];
    try {
      requireLock();
      file.seek(at);
      file.readFully(now);
      if (!Arrays.equals(now, before)) {
        throw RalphException.damaged(
            path
                + " was changed by a program without the lock; message "
                + message.id()
                + " was delivered and may be delivered again");
      }
      file.seek(at);
      file.write(after);
    } catch (IOException e) {
      throw failed(notMarked(message), path, e);
    }
  }

  /** Returns all messages, oldest first. */
  List<AgentMessage> messages(Consumer<String> warnings) {
    try {
      List<AgentMessage> messages = new ArrayList<>();
      BadLines bad = new BadLines(warnings);
      MailLines lines = new MailLines(file);
      while (lines.next()) {
        MailLine line = bad.check(lines);
        if (line != null && line.message() != null) {
          messages.add(line.message());
        }
      }
      bad.reportRest();
      return messages;
    } catch (IOException e) {
      throw failed("can't read", path, e);
    }
  }

  private void requireLock() {
    if (!lock.isHeld()) {
      throw new LockedException(
          "the lock holder of " + path + " was killed; nothing was changed. Try again", 0);
    }
  }

  /** Returns the exception for an I/O error. */
  static RalphException failed(String problem, Path path, IOException e) {
    String message = problem + " " + path + ": " + reason(path, e);
    return message.contains("No space left") || message.contains("quota exceeded")
        ? RalphException.full(message + ". Make room and try again", e)
        : RalphException.io(message, e);
  }

  private static String reason(Path path, IOException e) {
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    String reason = e instanceof FileSystemException system ? system.getReason() : e.getMessage();
    String named = path + " (";
    return reason == null
        ? e.toString()
        : reason.startsWith(named) ? reason.substring(named.length(), reason.length() - 1) : reason;
  }

  @Override
  public void close() {
    closeQuietly(file);
    lock.close();
  }

  /** Reports lines without a message; the lines are kept and skipped. */
  private final class BadLines {
    private final Consumer<String> warnings;
    private int count;

    BadLines(Consumer<String> warnings) {
      this.warnings = warnings;
    }

    /** Parses the current line; returns null for a blank line. */
    @Nullable MailLine check(MailLines lines) {
      if (MailLine.isBlank(lines.bytes(), lines.from(), lines.to())) {
        return null;
      }
      MailLine line = MailLine.of(lines.bytes(), lines.from(), lines.to());
      String fault = line.fault();
      if (fault != null && ++count <= MAX_REPORTED) {
        warnings.accept(
            path
                + ", line "
                + lines.number()
                + (lines.isUnended() ? ", the last, is incomplete: " : " is not a message: ")
                + fault
                + (line.message() == null ? "; skipped" : "; the valid rest is used"));
      }
      return line;
    }

    void reportRest() {
      if (count > MAX_REPORTED) {
        warnings.accept(path + ": " + (count - MAX_REPORTED) + " more lines were skipped");
      }
    }
  }
}
