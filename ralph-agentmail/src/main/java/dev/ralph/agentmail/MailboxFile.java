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

/** An open mailbox, under its lock. */
final class MailboxFile implements AutoCloseable {

  private static final byte[] FALSE = "false".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] READ = "true ".getBytes(StandardCharsets.US_ASCII);

  /** How many bad lines are told of one by one. */
  private static final int TOLD = 3;

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
   * @return null if it was removed while this waited: {@code agentmail cleanup} removes empty ones
   * @throws LockedException if others held it all the time
   * @throws RalphException IO if it may not be written
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
      // The lock is that of a file, not of a name.
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
      // Nor is anything lost.
    }
  }

  /** Adds a message behind all others, and returns once it would survive a power cut. */
  void append(AgentMessage message) {
    append(message.line(), "can't write to");
  }

  private void append(String text, String whatFailed) {
    byte[] line = (text + "\n").getBytes(StandardCharsets.UTF_8);
    long end = -1;
    try {
      end = file.length();
      if (end > 0) {
        file.seek(end - 1);
        // What a killed writer began is a line of its own.
        if (file.read() != '\n') {
          line = ("\n" + text + "\n").getBytes(StandardCharsets.UTF_8);
        }
      }
      requireLock();
      file.seek(end);
      file.write(line);
      file.getFD().sync();
    } catch (IOException e) {
      takeBack(end);
      throw failed(whatFailed, path, e);
    }
  }

  private void takeBack(long end) {
    try {
      if (end >= 0 && lock.isHeld()) {
        file.setLength(end);
      }
    } catch (IOException e) {
      // The next writer begins a new line.
    }
  }

  /**
   * Hands over the oldest message that is unread, and then marks it as read.
   *
   * @param delivery what it is handed to; if that fails, the message stays unread
   * @param warnings is told of lines that are no messages, and were stepped over
   * @return the message, or null if all are read
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
      bad.tell();
      if (found != null) {
        delivery.accept(found);
        mark.run();
      }
      return found;
    } catch (IOException e) {
      throw failed("can't read", path, e);
    }
  }

  /** Returns what marks a message as read. */
  private Runnable mark(AgentMessage message, MailLine line, MailLines lines) {
    long first = lines.offset() - lines.from();
    if (line.flagAt() >= 0) {
      return () -> overwrite(message, first + line.flagAt(), FALSE, READ);
    }
    // There is no room for a flag. So it goes to the end, with one, and empty lines take its place.
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
    return "message " + message.id() + " was delivered and will be again: can't write to";
  }

  /** Puts bytes in place of as many others, unless these are not what they were. */
  private void overwrite(AgentMessage message, long at, byte[] before, byte[] after) {
    byte[] now = new byte[before.length];
    try {
      requireLock();
      file.seek(at);
      file.readFully(now);
      if (!Arrays.equals(now, before)) {
        throw RalphException.damaged(
            path
                + " was changed by a program that does not lock it; message "
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
      bad.tell();
      return messages;
    } catch (IOException e) {
      throw failed("can't read", path, e);
    }
  }

  private void requireLock() {
    if (!lock.isHeld()) {
      throw new LockedException(
          "the program that held the lock of "
              + path
              + " was killed; nothing was changed, try again",
          0);
    }
  }

  /** Returns what to throw for a failure of the system. */
  static RalphException failed(String what, Path path, IOException e) {
    String message = what + " " + path + ": " + reason(path, e);
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

  /** Lines that hold no message are told of, never lost, and never in the way. */
  private final class BadLines {
    private final Consumer<String> warnings;
    private int count;

    BadLines(Consumer<String> warnings) {
      this.warnings = warnings;
    }

    /** Takes the present line apart; returns null for a blank one. */
    @Nullable MailLine check(MailLines lines) {
      if (MailLine.isBlank(lines.bytes(), lines.from(), lines.to())) {
        return null;
      }
      MailLine line = MailLine.of(lines.bytes(), lines.from(), lines.to());
      String fault = line.fault();
      if (fault != null && ++count <= TOLD) {
        warnings.accept(
            path
                + ", line "
                + lines.number()
                + (lines.isUnended() ? ", the last, is cut off: " : " is no message: ")
                + fault
                + (line.message() == null ? "; stepped over" : "; what follows in it is one"));
      }
      return line;
    }

    void tell() {
      if (count > TOLD) {
        warnings.accept(path + ": " + (count - TOLD) + " more lines were stepped over");
      }
    }
  }
}
