package dev.ralph.mail;

import dev.ralph.log.RalphException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * A received mail: no other receiver gets the mail before the lease ends. Acknowledge the mail when
 * the work is done. A mail that is not acknowledged in time, for example because its receiver died,
 * is received again.
 *
 * <p>Each method throws a {@link RalphException}, INVALID, once the lease has lapsed: the lease
 * expired, or another receiver got the mail since. Immutable; safe for use by many threads.
 */
public final class Received {

  private final Mailbox box;
  private final Mail mail;
  private final String token;
  private final Instant until;
  private final boolean again;

  private Received(Mailbox box, Mail mail, String token, Instant until, boolean again) {
    this.box = box;
    this.mail = mail;
    this.token = token;
    this.until = until;
    this.again = again;
  }

  /** Creates the result of a receive operation. For implementations of {@link Mailbox}. */
  public static Received of(Mailbox box, Mail mail, String token, Instant until, boolean again) {
    return new Received(
        Objects.requireNonNull(box, "box"),
        Objects.requireNonNull(mail, "mail"),
        Objects.requireNonNull(token, "token"),
        Objects.requireNonNull(until, "until"),
        again);
  }

  /** Returns the mail. */
  public Mail mail() {
    return mail;
  }

  /**
   * Returns the token of the lease. Another process can continue the work with this token: see
   * {@link Mailbox#ack}.
   */
  public String token() {
    return token;
  }

  /** Returns the time at which the lease expires unless renewed. */
  public Instant until() {
    return until;
  }

  /** Returns whether the mail was received before. An earlier receiver may have begun the work. */
  public boolean isRedelivery() {
    return again;
  }

  /** Acknowledges the mail: the mail is read, and is never received again. */
  public Mail ack() {
    return box.ack(mail.id(), token);
  }

  /** Releases the mail. Every receiver can get a released mail. */
  public Mail release() {
    return box.release(mail.id(), token);
  }

  /**
   * Renews the lease of the mail.
   *
   * @param lease the length of the lease from now: 1 ms to 30 days
   */
  public Received renew(Duration lease) {
    return box.renew(mail.id(), token, lease);
  }

  /** Answers the mail and acknowledges it: see {@link Mailbox#reply}. */
  public Mail reply(String text) {
    return reply(NewMail.of(text));
  }

  /** Answers the mail and acknowledges it: see {@link Mailbox#reply}. */
  public Mail reply(NewMail answer) {
    return box.reply(mail.id(), token, answer);
  }

  @Override
  public String toString() {
    return mail + " until " + until;
  }
}
