package dev.ralph.mail;

import dev.ralph.Ralph;
import dev.ralph.log.Draft;
import dev.ralph.log.Ledger;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The mailboxes of a project, in an open store.
 *
 * <pre>{@code
 * Mailboxes mail = Mailboxes.of(ralph, "shop");
 * mail.box("ann").send(NewMail.of("Is the API stable?").to("bob"));
 *
 * Received question = mail.box("bob").receive(Duration.ofMinutes(5)).orElseThrow();
 * question.reply("Since Monday.");
 * }</pre>
 *
 * <p>Safe for use by many threads. Keep the boxes that you use often: each box caches its state.
 */
public interface Mailboxes {

  /** The prefix of the address of a session's inbox. The name of the session follows. */
  String SESSION = "session:";

  /**
   * Returns the mailboxes of a project.
   *
   * @param project any name on which the participants agree
   * @throws RalphException INVALID if the name is blank or too long
   */
  static Mailboxes of(Ralph ralph, String project) {
    Objects.requireNonNull(ralph, "ralph");
    Objects.requireNonNull(project, "project");
    return new LogMailboxes(ralph, project);
  }

  /**
   * Returns the box of an address.
   *
   * @param address any name; the prefix {@value #SESSION} addresses the inbox of a session, whose
   *     running agent gets the mail while it works
   * @throws RalphException INVALID if the name is blank, too long or not Unicode, or the name of
   *     the session is invalid
   */
  Mailbox box(String address);

  /** Returns the inbox of a session as a box. Its address is {@value #SESSION} and the name. */
  default Mailbox session(String name) {
    return box(SESSION + Objects.requireNonNull(name, "name"));
  }

  /**
   * Sends an anonymous mail. Recipients can't answer an anonymous mail.
   *
   * @return as {@link Mailbox#send} does
   * @throws RalphException as {@link Mailbox#send} does
   */
  List<Mail> send(NewMail mail);

  /** Returns the boxes of the project, by name. The inboxes of sessions are not included. */
  List<Mailbox.Listed> boxes();

  /**
   * Returns a topic for the data of a program beside these boxes. No box uses the topic. A
   * {@linkplain #dispatch dispatch} can decide by the state of this topic.
   *
   * @param name letters, digits, '_' and '-'
   * @throws RalphException INVALID if the name is invalid for a topic
   */
  Topic topic(String name);

  /**
   * Returns the same boxes for a program that records mails whose deadline passes while they wait.
   * Each expired mail is logged once, at the next {@linkplain Mailbox#receive receive} from its box
   * or the next {@linkplain #expire check}. The boxes returned here append a frame of the program
   * in the same step.
   *
   * @param frame creates the frame, in a {@link #topic}; may be called more than once for a mail
   * @param listener called for each mail after it is logged
   */
  Mailboxes onExpiry(Function<Mail, Draft> frame, Consumer<Mail> listener);

  /**
   * Returns the same boxes for a program that does the work itself: each lease is bound to this
   * process and ends with it. Mails that a killed process on this machine held are received again
   * within about a second, before mails of a higher priority, unless their deadline has passed.
   * Only the boxes returned here check for such mails.
   */
  Mailboxes heldByProcess();

  /**
   * Logs the mails of a box whose deadline passed while they waited. {@link Mailbox#receive} does
   * this as well, so call this method only if there is no receiver.
   */
  void expire(String address);

  /**
   * Decides by a state of the caller which mails to send, and sends these mails and their frames in
   * one step: all or nothing. A mail is left out if its sender has used its key before.
   *
   * <p>The decider runs again only if a frame is appended to the ledger's topic meanwhile. So
   * receivers of the boxes never delay a dispatch. If two programs send the same key at the same
   * time, a duplicate is excluded only if both use this topic.
   *
   * @param what the action, for the error message
   * @param ledger the ledger of a {@link #topic}
   * @return the answer of the decision
   * @throws RalphException the exception of the decider; INVALID if a mail is invalid, as with
   *     {@link Mailbox#send}; otherwise as {@link Ledger#decide} does
   */
  <R, T> T dispatch(String what, Ledger<R> ledger, BiFunction<R, Instant, Dispatch<T>> decider);
}
