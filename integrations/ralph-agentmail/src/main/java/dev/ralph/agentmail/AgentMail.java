package dev.ralph.agentmail;

import dev.ralph.log.LockedException;
import dev.ralph.log.RalphException;
import dev.ralph.mail.Mailbox;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The AgentMail mailboxes of a git repository: one file of JSON lines per recipient, {@code
 * .git/mail/NAME.jsonl}, or below {@code .agentmail/mailboxes} if this folder exists. The files are
 * the only storage; AgentMail's own programs may use them at the same time.
 *
 * <pre>{@code
 * AgentMail mail = AgentMail.of(Path.of(""));
 * mail.send("ann", "bob", "Is the API stable?");
 * mail.receive("bob", message -> System.out.println(message.text()));
 * }</pre>
 *
 * <p>Each call locks the mailbox, also against other processes, and waits up to 4 s for the lock.
 * Thread-safe.
 */
public final class AgentMail {

  /** The maximum length of a text, in {@code char}s. */
  public static final int LONGEST_TEXT = 1 << 24;

  private static final String BASE62 =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

  private static final int ID_LENGTH = 8;

  private final MailFolder folder;
  private final Consumer<String> warnings;

  private AgentMail(MailFolder folder, Consumer<String> warnings) {
    this.folder = folder;
    this.warnings = warnings;
  }

  /**
   * Returns the mailboxes of the repository that contains a directory. All work trees of a
   * repository share the mailboxes of the main one. Invalid lines are logged as warnings.
   *
   * @throws RalphException NOT_FOUND if there is no repository
   */
  public static AgentMail of(Path directory) {
    return of(
        directory,
        warning ->
            System.getLogger(AgentMail.class.getName()).log(System.Logger.Level.WARNING, warning));
  }

  /**
   * Returns the mailboxes of the repository that contains a directory.
   *
   * @param warnings called with a warning for invalid lines, which are skipped and kept
   * @throws RalphException NOT_FOUND if there is no repository
   */
  public static AgentMail of(Path directory, Consumer<String> warnings) {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(warnings, "warnings");
    return new AgentMail(MailFolder.of(directory), warnings);
  }

  /** Returns the folder of the mailboxes, which may not exist. */
  public Path folder() {
    return folder.path();
  }

  /**
   * Appends a message to the recipient's mailbox, which is created if missing. The message is
   * synced to disk when this method returns.
   *
   * @param text neither blank nor longer than {@link #LONGEST_TEXT}
   * @throws LockedException if the mailbox stayed locked for 4 s
   * @throws RalphException INVALID if the text or the name is blank or not valid Unicode, or the
   *     text is too long; FULL if the disk is full; IO if the file cannot be written; UNSUPPORTED
   *     if the name is not a valid file name, for example with an umlaut under {@code LC_ALL=C}, or
   *     if no locking program is installed. Nothing was sent
   */
  public AgentMessage send(String from, String to, String text) {
    Objects.requireNonNull(from, "from");
    Objects.requireNonNull(to, "to");
    Objects.requireNonNull(text, "text");
    if (text.isBlank()) {
      throw RalphException.invalid("the message is empty; add a text");
    }
    if (text.length() > LONGEST_TEXT) {
      throw RalphException.invalid(
          "the message is longer than "
              + LONGEST_TEXT
              + " characters; put it into a file and send the file's name");
    }
    RalphException.requireUnicode("the message", text);
    AgentMessage message = AgentMessage.unread(newId(), from, to, text);
    while (true) {
      try (MailboxFile mailbox = MailboxFile.open(folder.file(to))) {
        if (mailbox != null) {
          mailbox.append(message);
          return message;
        }
      }
    }
  }

  /**
   * Delivers the oldest unread message and then marks it as read. The mailbox is locked meanwhile,
   * to hide the message from other receivers. If this process dies before the mark, the message is
   * delivered again; a message is never lost.
   *
   * @param delivery called with the message while the mailbox is locked, so it should return
   *     quickly. If it throws, the message stays unread
   * @return the message, or empty if all messages are read
   * @throws LockedException if the mailbox stayed locked for 4 s
   * @throws RalphException INVALID if the recipient's name is blank; IO if the file cannot be read
   *     or written; UNSUPPORTED if the name is not a valid file name, or if no locking program is
   *     installed
   */
  public Optional<AgentMessage> receive(String recipient, Consumer<AgentMessage> delivery) {
    Objects.requireNonNull(recipient, "recipient");
    Objects.requireNonNull(delivery, "delivery");
    Path file = folder.existing(recipient);
    while (file != null) {
      try (MailboxFile mailbox = MailboxFile.open(file)) {
        if (mailbox != null) {
          return Optional.ofNullable(mailbox.take(delivery, warnings));
        }
      }
      file = folder.existing(recipient);
    }
    return Optional.empty();
  }

  /**
   * Returns all messages of a recipient, read and unread, oldest first. Changes nothing.
   *
   * @throws RalphException as {@link #receive} does
   */
  public List<AgentMessage> messages(String recipient) {
    Objects.requireNonNull(recipient, "recipient");
    Path file = folder.existing(recipient);
    while (file != null) {
      try (MailboxFile mailbox = MailboxFile.open(file)) {
        if (mailbox != null) {
          return mailbox.messages(warnings);
        }
      }
      file = folder.existing(recipient);
    }
    return List.of();
  }

  /**
   * Returns a recipient's mailbox as a {@link Mailbox}. Operations that the file format does not
   * support throw UNSUPPORTED: several recipients, leases, replies, and all mail fields besides the
   * text. A mail is marked as read on receipt. Therefore the mail is lost if the receiver dies;
   * {@link #receive} avoids this.
   */
  public Mailbox box(String recipient) {
    return new FileMailbox(this, recipient);
  }

  /** Returns a value that changes with the recipient's file. */
  String fingerprint(String recipient) {
    try {
      Path file = folder.existing(recipient);
      return file == null ? "" : Files.size(file) + " " + Files.getLastModifiedTime(file);
    } catch (IOException removed) {
      return "";
    }
  }

  /** Reads /dev/urandom, because loading SecureRandom takes as long as the rest of a command. */
  private static String newId() {
    byte[] random;
    try (InputStream source = Files.newInputStream(Path.of("/dev/urandom"))) {
      random = source.readNBytes(ID_LENGTH);
    } catch (IOException e) {
      throw MailboxFile.failed("can't read", Path.of("/dev/urandom"), e);
    }
    StringBuilder id = new StringBuilder(ID_LENGTH);
    for (byte b : random) {
      id.append(BASE62.charAt(Math.floorMod(b, BASE62.length())));
    }
    return id.toString();
  }
}
