package dev.ralph.mail;

import dev.ralph.log.ContendedException;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A box to send mail to and to receive mail from, used by any number of threads and processes. A
 * box needs no creation: the first mail creates the box.
 *
 * <p>A reference to a mail is the number in the box ({@code m3}), the id, or a prefix of the id (8
 * characters or more). A method with a reference throws {@link NotFoundException} or {@link
 * dev.ralph.log.AmbiguousException}; the message names the candidates.
 *
 * <p>A box that does not support an operation or a property throws UNSUPPORTED. All methods that
 * write throw {@link ContendedException} if others kept writing for two seconds, and the exceptions
 * of {@link dev.ralph.log.FrameLog#append}. Safe for use by many threads.
 */
public interface Mailbox {

  /** Returns the address for mail to this box. */
  String name();

  /**
   * Sends a mail from this box to all recipients or, on failure, to none.
   *
   * @return the copies in the recipients' boxes, in the order of {@link NewMail#to()}. If this box
   *     has used the key of the mail before, the result is the earlier mail, which may have another
   *     text
   * @throws RalphException INVALID if the text or the recipient is missing, a text is not Unicode,
   *     or the deadline is past or after the year 9999. INVALID also if the recipients are neither
   *     boxes of one project nor the inbox of one session. NOT_FOUND if {@link NewMail#replyTo} is
   *     neither a mail of this box nor a whole id
   */
  List<Mail> send(NewMail mail);

  /**
   * Receives the oldest of the free mails with the highest priority, if any. A mail is free if not
   * held by another receiver. Never waits.
   *
   * @param lease the time for which no other receiver gets the mail unless released: 1 ms to 30
   *     days
   * @throws RalphException INVALID if the lease is outside that range
   */
  Optional<Received> receive(Duration lease);

  /**
   * Receives a mail as {@link #receive(Duration)} does, and waits if none is free. A new mail or
   * the end of another receiver's lease ends the wait.
   *
   * @param timeout the maximum time to wait; zero or less does not wait
   * @return the mail, or empty on timeout
   * @throws InterruptedException if the thread is interrupted while waiting
   * @throws RalphException as {@link #receive(Duration)} does
   */
  Optional<Received> receive(Duration lease, Duration timeout) throws InterruptedException;

  /**
   * Acknowledges a mail: the mail is read, and is never received again.
   *
   * @param token the token of the lease under which the mail was received
   * @throws RalphException INVALID if the lease has lapsed: the lease expired, the mail was
   *     released, or another receiver got the mail since. INVALID also if the token never belonged
   *     to this mail
   */
  Mail ack(String ref, String token);

  /**
   * Releases a mail. Every receiver can get a released mail at once.
   *
   * @throws RalphException INVALID if the lease has lapsed
   */
  Mail release(String ref, String token);

  /**
   * Renews the lease of a mail. The token stays the same.
   *
   * @param lease the length of the lease from now: 1 ms to 30 days
   * @throws RalphException INVALID if the lease has lapsed, or the new length is outside that range
   */
  Received renew(String ref, String token, Duration lease);

  /**
   * Sends an answer to the sender's box of a mail.
   *
   * @param token the token of the lease under which the mail was received: the mail is acknowledged
   *     and the answer sent in one step. Null only sends the answer
   * @param answer the answer, without recipients
   * @return the answer in the other box
   * @throws RalphException INVALID if the lease has lapsed, or if the mail has no sender
   */
  Mail reply(String ref, @Nullable String token, NewMail answer);

  /**
   * Sends a mail from this box and waits for the first answer: a {@link #reply} or a mail with
   * {@link NewMail#replyTo}. The answer is marked as read, and no other receiver can get it
   * meanwhile. A later answer is received as an ordinary mail.
   *
   * <p>A mail whose {@link NewMail#key} was used before is not sent again. If its answer is in this
   * box, and is read or free, the answer is returned at once. Otherwise the method waits. Other
   * receivers can get an answer that arrives after the timeout of the first {@code ask}.
   *
   * @param timeout the maximum time to wait: 1 ms to 30 days. The deadline of the mail ends the
   *     wait as well
   * @return the answer, or empty on timeout
   * @throws InterruptedException if the thread is interrupted while waiting
   * @throws RalphException as {@link #send} does; INVALID if the timeout is outside that range
   */
  Optional<Mail> ask(NewMail mail, Duration timeout) throws InterruptedException;

  /** Returns the mails that are neither read nor expired, oldest first. */
  List<Mail> unread();

  /** Returns all mails, oldest first. */
  List<Mail> history();

  /**
   * Returns the {@link #history()} after its first mails, and waits while there are no more mails.
   * Receives nothing.
   *
   * @param after the number of mails to skip
   * @param timeout the maximum time to wait; zero or less does not wait
   * @return the mails, oldest first; empty on timeout
   * @throws InterruptedException if the thread is interrupted while waiting
   * @throws RalphException INVALID if the number is negative
   */
  default List<Mail> await(int after, Duration timeout) throws InterruptedException {
    throw RalphException.unsupported("the box " + name() + " does not support waiting");
  }

  /** Returns a mail. */
  Mail get(String ref);

  /**
   * Returns the thread of a mail, oldest first: the mail, all mails that it answers directly or
   * indirectly, and all answers to these.
   */
  List<Mail> thread(String ref);

  /**
   * A box in a list.
   *
   * @param name the address
   * @param unread the number of mails that are neither read nor expired
   * @param total the number of all mails
   * @param attended whether a mail was ever received from the box
   */
  record Listed(String name, int unread, int total, boolean attended) {

    /** Checks that the name is not null. */
    public Listed {
      Objects.requireNonNull(name, "name");
    }

    /**
     * Returns whether the box has mail and no receiver ever used it. The box name may be misspelt.
     */
    public boolean isOrphaned() {
      return total > 0 && !attended;
    }

    @Override
    public String toString() {
      return name
          + ": "
          + unread
          + " of "
          + total
          + " unread"
          + (isOrphaned() ? " (orphaned)" : "");
    }
  }
}
