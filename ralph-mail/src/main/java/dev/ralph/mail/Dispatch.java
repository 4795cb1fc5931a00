package dev.ralph.mail;

import dev.ralph.log.Draft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Mails that are sent in one step, each from a box of its own, together with frames that say why:
 * see {@link Mailboxes#dispatch}. Each method returns a changed one.
 *
 * @param <T> what the caller of the decision gets
 */
public final class Dispatch<T> {

  /**
   * A mail to be sent.
   *
   * @param from the box that it comes from, or null for nobody
   * @param answered the box of the mail that it answers, or null for none
   * @param answeredKey the key of that mail
   * @param awaited how long the sender waits for an answer, or null
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

  /** Returns a dispatch without mails and frames, with that answer for the caller. */
  public static <T> Dispatch<T> of(T answer) {
    return new Dispatch<>(answer, List.of(), List.of());
  }

  /** Returns this one, with a frame beside the mails. */
  public Dispatch<T> with(Draft frame) {
    Objects.requireNonNull(frame, "frame");
    List<Draft> more = new ArrayList<>(frames);
    more.add(frame);
    return new Dispatch<>(answer, letters, more);
  }

  /**
   * Returns this one, with a mail to one box.
   *
   * @param from the box that it comes from, or null for nobody
   */
  public Dispatch<T> with(@Nullable String from, NewMail mail) {
    return with(new Letter(from, mail, null, null, null));
  }

  /**
   * Returns this one, with a mail to one box, whose sender waits for an answer: see {@link
   * Mailbox#ask}, which is to be called after it, with the same mail.
   *
   * @param awaited how long it waits
   */
  public Dispatch<T> withQuestion(String from, NewMail mail, Duration awaited) {
    return with(new Letter(from, mail, null, null, Objects.requireNonNull(awaited, "awaited")));
  }

  /**
   * Returns this one, with a mail that answers another. If the recipient has sent that other mail
   * and waits for its answer, nobody else receives the answer meanwhile. The other mail may belong
   * to this dispatch. If it does not exist, the answer is a mail like any other.
   *
   * @param answered the box in which the answered mail lies
   * @param key the key under which the answered mail was sent, by the recipient or, if that sent
   *     none, by somebody else
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
