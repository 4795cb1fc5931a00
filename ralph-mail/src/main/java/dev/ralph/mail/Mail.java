package dev.ralph.mail;

import dev.ralph.domain.Priority;
import dev.ralph.log.RalphException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A mail in a box, as it was when it was read. If a mail is sent to several boxes, each has a copy
 * with its own id and state.
 */
public interface Mail {

  /** How far a mail has got. */
  enum State {
    /** Nobody has received it, or those who have did not keep it. */
    WAITING,
    /** Somebody is working on it: nobody else receives it before the lease ends. */
    RECEIVED,
    /** It was acknowledged. */
    READ,
    /**
     * Its deadline passed before anybody acknowledged it, and nobody has it: those who received it
     * gave it back, or their leases ran out. It is not received any more.
     */
    EXPIRED
  }

  /** Returns its id, by which it can be found, in this box. */
  String id();

  /** Returns the shortest reference to it that people and agents use in this box. */
  String ref();

  /** Returns the address of the box that it lies in. */
  String box();

  /** Returns the address of the box that it was sent from, or null where nobody said. */
  @Nullable String from();

  /** Returns the addresses of all boxes that it was sent to, this one among them. */
  List<String> to();

  /** Returns the id that all copies of a mail share; its own id if there is one copy only. */
  String commonId();

  /** Returns what kind of mail it is, in the words of those who use it, or null. */
  @Nullable String type();

  /** Returns the id of the mail that it answers, or null. */
  @Nullable String replyTo();

  /** Returns what it is about, in a line, or null. */
  @Nullable String headline();

  /** Returns whether it is received before others. */
  Priority priority();

  /** Returns its tags, in the sender's order. */
  List<String> tags();

  /**
   * Returns the time from which it is not received any more, or null for never. Somebody who has
   * received it before may still acknowledge it while the lease runs.
   */
  @Nullable Instant deadline();

  /** Returns until when the sender waits for a reply, or null if nobody waits. */
  @Nullable Instant awaitedUntil();

  /**
   * Returns the whole text. It may be read from the store each time, so keep it while you work with
   * it; for a list {@link #beginning} is cheaper. It is empty if it was erased since.
   *
   * @throws RalphException DAMAGED if it is lost, IO if it can't be read, CLOSED once the store is
   *     closed
   */
  String text();

  /**
   * Returns the beginning of the text: all of it if it is no longer than that.
   *
   * @param characters how many at most; a character of two {@code char}s is not halved
   * @throws RalphException IO if it can't be read, CLOSED once the store is closed
   */
  String beginning(int characters);

  /** Returns how many characters ({@code char}s) the text has. */
  int length();

  /** Returns when it was sent, or null where the box does not keep that. */
  @Nullable Instant sent();

  /** Returns how far it had got. */
  State state();

  /** Returns when the lease of its receiver ends, or null if nobody is working on it. */
  @Nullable Instant heldUntil();
}
