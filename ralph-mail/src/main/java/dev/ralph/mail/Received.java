package dev.ralph.mail;

import dev.ralph.log.RalphException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * A mail that was received: nobody else receives it before the lease ends. Acknowledge it when the
 * work is done. A mail that is not acknowledged in time, for example because its receiver died, is
 * received again.
 *
 * <p>Each method throws a {@link RalphException}, INVALID, once the lease has lapsed: it ran out,
 * or somebody else received the mail since. Immutable; safe for use by many threads.
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

  /** Makes what a box returns when a mail is received from it. */
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
   * Returns the token of the lease, by which another process can go on: see {@link Mailbox#ack}.
   */
  public String token() {
    return token;
  }

  /** Returns when the lease runs out, unless it is renewed. */
  public Instant until() {
    return until;
  }

  /** Returns whether somebody received it before, and may have begun to work on it. */
  public boolean again() {
    return again;
  }

  /** Acknowledges the mail: it is read, and nobody receives it again. */
  public Mail ack() {
    return box.ack(mail.id(), token);
  }

  /** Gives the mail back, so that anybody can receive it. */
  public Mail release() {
    return box.release(mail.id(), token);
  }

  /**
   * Keeps the mail for longer.
   *
   * @param lease for how long from now: 1 ms to 30 days
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
