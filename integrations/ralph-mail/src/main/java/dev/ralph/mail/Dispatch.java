package dev.ralph.mail;

import dev.ralph.log.Draft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A set of mails from several boxes, sent in one step with the frames that record the reason: see
 * {@link Mailboxes#dispatch}. Immutable: each method returns a changed copy.
 *
 * @param <T> the type of the caller's answer
 */
public final class Dispatch<T> {

  /**
   * A mail to send.
   *
   * @param from the sender's box, or null for an anonymous mail
   * @param answered the box of the answered mail, or null
   * @param answeredKey the key of the answered mail, or null
   * @param awaited the time that the sender waits for an answer, or null
   */
  record Letter(
      @Nullable String from,
      NewMail mail,
      @Nullable String answered,
      @Nullable String answeredKey,
      @Nullable Duration awaited) {}

  private final T answer;
  private final List<Letter> letters;
  private final List<Draft> frames;

  private Dispatch(T answer, List<Letter> letters, List<Draft> frames) {
    this.answer = answer;
    this.letters = letters;
    this.frames = frames;
  }

  /**
   * Returns a dispatch without mails and frames.
   *
   * @param answer the answer for the caller
   */
  public static <T> Dispatch<T> of(T answer) {
    return new Dispatch<>(answer, List.of(), List.of());
  }

  /** Returns this dispatch with a frame to append beside the mails. */
  public Dispatch<T> with(Draft frame) {
    Objects.requireNonNull(frame, "frame");
    List<Draft> more = new ArrayList<>(frames);
    more.add(frame);
    return new Dispatch<>(answer, letters, more);
  }

  /**
   * Returns this dispatch with a mail.
   *
   * @param from the sender's box, or null for an anonymous mail
   */
  public Dispatch<T> with(@Nullable String from, NewMail mail) {
    return with(new Letter(from, mail, null, null, null));
  }

  /**
   * Returns this dispatch with a mail whose sender waits for an answer. Call {@link Mailbox#ask}
   * with the same mail afterwards.
   *
   * @param awaited the time that the sender waits
   */
  public Dispatch<T> withQuestion(String from, NewMail mail, Duration awaited) {
    return with(new Letter(from, mail, null, null, Objects.requireNonNull(awaited, "awaited")));
  }

  /**
   * Returns this dispatch with an answer to another mail. If the recipient has sent that mail and
   * waits for its answer, only the recipient can receive the answer meanwhile. The answered mail
   * may belong to this dispatch. If the answered mail does not exist, the answer is sent as an
   * ordinary mail.
   *
   * @param answered the box of the answered mail
   * @param key the key of the answered mail; a mail from the recipient with this key is preferred
   *     to mails from other senders
   */
  public Dispatch<T> withAnswer(@Nullable String from, NewMail mail, String answered, String key) {
    Objects.requireNonNull(answered, "answered");
    Objects.requireNonNull(key, "key");
    return with(new Letter(from, mail, answered, key, null));
  }

  private Dispatch<T> with(Letter letter) {
    Objects.requireNonNull(letter.mail(), "mail");
    List<Letter> more = new ArrayList<>(letters);
    more.add(letter);
    return new Dispatch<>(answer, more, frames);
  }

  T answer() {
    return answer;
  }

  List<Letter> letters() {
    return letters;
  }

  List<Draft> frames() {
    return frames;
  }
}
