package dev.ralph.mail;

import dev.ralph.domain.Priority;
import dev.ralph.log.RalphException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a mail in a box. A mail to several boxes has a copy in each of them, with its own
 * id and state.
 */
public interface Mail {

  /** The state of a mail. */
  enum State {
    /** No receiver holds the mail. */
    WAITING,
    /** A receiver holds the mail: no other receiver gets the mail before the lease ends. */
    RECEIVED,
    /** The mail was acknowledged. */
    READ,
    /**
     * The deadline passed before the mail was acknowledged, and no receiver holds the mail: all
     * leases were released or have expired. The mail can no longer be received.
     */
    EXPIRED
  }

  /** Returns the id, which is a reference to the mail in this box. */
  String id();

  /** Returns the shortest reference to the mail in this box, for people and agents. */
  String ref();

  /** Returns the address of the box that contains the mail. */
  String box();

  /** Returns the address of the sender's box, or null if the sender is unknown. */
  @Nullable String from();

  /** Returns the addresses of all recipients, including this box. */
  List<String> to();

  /** Returns the id that all copies of a mail share, or the own id of a mail with one copy. */
  String commonId();

  /** Returns the kind of the mail, as the program that uses the boxes defines it, or null. */
  @Nullable String type();

  /** Returns the id of the answered mail, or null. */
  @Nullable String replyTo();

  /** Returns the subject, a single line, or null. */
  @Nullable String headline();

  /** Returns the priority. Mails with a higher priority are received first. */
  Priority priority();

  /** Returns the tags, in the sender's order. */
  List<String> tags();

  /**
   * Returns the time from which the mail can no longer be received, or null for no deadline. An
   * earlier receiver may still acknowledge the mail while its lease is live.
   */
  @Nullable Instant deadline();

  /**
   * Returns the time until which the sender waits for an answer, or null if the sender does not
   * wait.
   */
  @Nullable Instant awaitedUntil();

  /**
   * Returns the whole text, or an empty text if the text was erased. Each call may read the text
   * from the store, so keep the result. {@link #beginning} is cheaper for lists.
   *
   * @throws RalphException DAMAGED if the text is lost, IO if it can't be read, CLOSED once the
   *     store is closed
   */
  String text();

  /**
   * Returns the beginning of the text, or the whole text if it is short enough.
   *
   * @param characters the maximum number of {@code char}s; a surrogate pair is not split
   * @throws RalphException IO if the text can't be read, CLOSED once the store is closed
   */
  String beginning(int characters);

  /** Returns the length of the text in {@code char}s. */
  int length();

  /** Returns the time of sending, or null if the box does not keep the time. */
  @Nullable Instant sent();

  /** Returns the state. */
  State state();

  /** Returns the end of the receiver's lease, or null if no receiver holds the mail. */
  @Nullable Instant heldUntil();
}
