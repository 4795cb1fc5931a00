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
 * The mailboxes of a git repository as AgentMail keeps them: one file of JSON lines for each
 * recipient, {@code .git/mail/NAME.jsonl}, or below {@code .agentmail/mailboxes} where that exists.
 * The files are the only truth, and AgentMail's own programs may use them at the same time.
 *
 * <pre>{@code
 * AgentMail mail = AgentMail.of(Path.of(""));
 * mail.send("ann", "bob", "Is the API stable?");
 * mail.receive("bob", message -> System.out.println(message.text()));
 * }</pre>
 *
 * <p>Each call locks the mailbox for as long as it takes, also against other processes, for which
 * it waits for up to 4 s. Safe for use by many threads.
 */
public final class AgentMail {

  /** How many characters ({@code char}s) a text may have. */
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
   * Returns the mailboxes of the repository that a directory belongs to. In a work tree of its own
   * ({@code git worktree}) these are the ones of the main one. Lines that are no messages are
   * logged.
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
   * Returns the mailboxes of the repository that a directory belongs to.
   *
   * @param warnings is told of lines that are no messages: they are stepped over, and stay
   * @throws RalphException NOT_FOUND if there is no repository
   */
  public static AgentMail of(Path directory, Consumer<String> warnings) {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(warnings, "warnings");
    return new AgentMail(MailFolder.of(directory), warnings);
  }

  /** Returns the folder that the mailboxes are in; it need not exist. */
  public Path folder() {
    return folder.path();
  }

  /**
   * Puts a message into the recipient's mailbox, which is made if it is missing. It has survived a
   * power cut when this returns.
   *
   * @param text neither blank nor longer than {@link #LONGEST_TEXT}
   * @throws LockedException if others held the mailbox for 4 s
   * @throws RalphException INVALID if the text or the name is blank or no Unicode, or the text too
   *     long; FULL if there is no room; IO if the file can't be written; UNSUPPORTED if the name
   *     can't be a file's, as one with an umlaut under {@code LC_ALL=C}, or if there is no program
   *     to lock it with. Nothing was sent then
   */
  public AgentMessage send(String from, String to, String text) {
    Objects.requireNonNull(from, "from");
    Objects.requireNonNull(to, "to");
    Objects.requireNonNull(text, "text");
    if (text.isBlank()) {
      throw RalphException.invalid("the message is empty; say something");
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
   * Hands over the oldest message that nobody has received, and then marks it as received. Nobody
   * else receives it meanwhile. If this process dies in between, the message is received once more;
   * it is never lost.
   *
   * @param delivery what to do with the message, with the mailbox locked: be quick. If it throws,
   *     the message stays as it was
   * @return the message, or empty if there was none
   * @throws LockedException if others held the mailbox for 4 s
   * @throws RalphException INVALID if the recipient's name is blank; IO if the file can't be read
   *     and written; UNSUPPORTED if the name can't be a file's, or if there is no program to lock
   *     it with
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
   * Returns all messages of a recipient, read or not, oldest first. Changes nothing.
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
   * Returns a recipient's mailbox as other code sees one. It refuses what its file can't hold, with
   * UNSUPPORTED: several recipients, leases, replies, and all that a mail says besides its text. A
   * mail is read once it is received, so one whose receiver dies is not received again; {@link
   * #receive} takes more care.
   */
  public Mailbox box(String recipient) {
    return new FileMailbox(this, recipient);
  }

  /** Returns what changes with a recipient's file. */
  String fingerprint(String recipient) {
    try {
      Path file = folder.existing(recipient);
      return file == null ? "" : Files.size(file) + " " + Files.getLastModifiedTime(file);
    } catch (IOException removed) {
      return "";
    }
  }

  /** A generator of the platform for this would take as long as all else that a command does. */
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
