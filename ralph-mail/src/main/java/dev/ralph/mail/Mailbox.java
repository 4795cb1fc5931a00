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
 * A box that mail is sent to and received from, by any number of threads and processes. A box need
 * not be made: it comes into being with its first mail.
 *
 * <p>A reference to a mail is its number in the box ({@code m3}), its id, or the beginning of its
 * id (8 characters or more). A method given a reference throws {@link NotFoundException} or {@link
 * dev.ralph.log.AmbiguousException}, the message naming the candidates.
 *
 * <p>A kind of box that can't do or keep something refuses it with UNSUPPORTED. All methods that
 * write throw {@link ContendedException} if others kept writing for two seconds; they also throw
 * what {@link dev.ralph.log.FrameLog#append} throws. Safe for use by many threads.
 */
public interface Mailbox {

  /** Returns its address, by which others send to it. */
  String name();

  /**
   * Sends a mail from this box: to all of its recipients or, if that fails, to none.
   *
   * @return the copies as they lie in the recipients' boxes, in the order of {@link NewMail#to()}.
   *     Where this box has used the mail's key before, the earlier mail is returned instead, which
   *     may have another text
   * @throws RalphException INVALID if it has no text or no recipient, if something in it is not
   *     Unicode, if its deadline has passed or is after the year 9999, or if its recipients can't
   *     be written to in one step: either they are boxes of one project, or the inbox of one
   *     session; NOT_FOUND if what it answers is neither a mail of this box nor a whole id
   */
  List<Mail> send(NewMail mail);

  /**
   * Receives the mail with the highest priority that nobody else is working on, the oldest first,
   * if there is one. Never waits.
   *
   * @param lease how long nobody else receives it, unless it is given back: 1 ms to 30 days
   * @throws RalphException INVALID if the lease is outside that range
   */
  Optional<Received> receive(Duration lease);

  /**
   * Receives a mail as {@link #receive(Duration)} does, and waits for one if there is none. New
   * mail wakes it up, and so does the end of another receiver's lease.
   *
   * @param timeout how long to wait at most; zero or less does not wait
   * @return empty if there was none in time
   * @throws InterruptedException if the thread is interrupted while it waits
   * @throws RalphException as {@link #receive(Duration)} does
   */
  Optional<Received> receive(Duration lease, Duration timeout) throws InterruptedException;

  /**
   * Acknowledges a mail: it is read, and nobody receives it again.
   *
   * @param token of the lease under which it was received
   * @throws RalphException INVALID if that lease has lapsed: it ran out, was given back, or
   *     somebody else received the mail since; also if that was never a token of this mail
   */
  Mail ack(String ref, String token);

  /**
   * Gives a mail back, so that anybody can receive it at once.
   *
   * @throws RalphException INVALID if the lease has lapsed
   */
  Mail release(String ref, String token);

  /**
   * Keeps a mail for longer, under the same token.
   *
   * @param lease for how long from now: 1 ms to 30 days
   * @throws RalphException INVALID if the lease has lapsed, or the new one is outside that range
   */
  Received renew(String ref, String token, Duration lease);

  /**
   * Sends an answer to the box that a mail came from.
   *
   * @param token of the lease under which the mail was received: the mail is acknowledged and the
   *     answer sent in one step. Null only sends the answer
   * @param answer goes to the sender of the mail, so it must not name recipients
   * @return the answer as it lies in the other box
   * @throws RalphException INVALID if the lease has lapsed, or if the mail has no sender
   */
  Mail reply(String ref, @Nullable String token, NewMail answer);

  /**
   * Sends a mail from this box and waits for the first answer: a {@link #reply} or a mail with
   * {@link NewMail#replyTo}. That answer is then read. Nobody else receives it meanwhile. An answer
   * that comes later is received like any other mail.
   *
   * <p>A mail whose {@link NewMail#key} was used before is not sent again. If its answer is in this
   * box, and read or free to be received, it is returned at once; otherwise this waits for it. An
   * answer that comes after the time of the first {@code ask} may be received by others.
   *
   * @param timeout how long to wait at most: 1 ms to 30 days. A deadline of the mail ends the wait
   *     as well
   * @return empty if there was none in time
   * @throws InterruptedException if the thread is interrupted while it waits
   * @throws RalphException as {@link #send} does; INVALID if the time is outside that range
   */
  Optional<Mail> ask(NewMail mail, Duration timeout) throws InterruptedException;

  /** Returns the mails that are neither read nor expired, oldest first. */
  List<Mail> unread();

  /** Returns all mails, oldest first. */
  List<Mail> history();

  /**
   * Returns the {@link #history()} without its first mails, and waits for a mail if none is left.
   * Receives nothing.
   *
   * @param after how many of the first mails are left out
   * @param timeout how long to wait at most; zero or less does not wait
   * @return oldest first; empty if none came in time
   * @throws InterruptedException if the thread is interrupted while it waits
   * @throws RalphException INVALID if the number is negative
   */
  default List<Mail> await(int after, Duration timeout) throws InterruptedException {
    throw RalphException.unsupported("the box " + name() + " can't be watched");
  }

  /** Returns the mail referred to. */
  Mail get(String ref);

  /**
   * Returns the mail referred to, the mails that it answers, directly or not, and all that answer
   * one of these, oldest first.
   */
  List<Mail> thread(String ref);

  /**
   * A box as it is listed.
   *
   * @param name its address
   * @param unread how many mails are neither read nor expired
   * @param total how many mails it ever got
   * @param attended whether anybody ever received from it
   */
  record Listed(String name, int unread, int total, boolean attended) {

    /** Lists a box. */
    public Listed {
      Objects.requireNonNull(name, "name");
    }

    /** Returns whether it has mail and nobody ever received from it: its name may be misspelt. */
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
