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
 * <p>Safe for use by many threads. Keep the boxes that you use often: each remembers what it has
 * read.
 */
public interface Mailboxes {

  /** What the address of a session's inbox begins with; the session's name follows. */
  String SESSION = "session:";

  /**
   * Returns the mailboxes of a project.
   *
   * @param project any name that those who write to each other agree on
   * @throws RalphException INVALID if the name is blank or too long
   */
  static Mailboxes of(Ralph ralph, String project) {
    Objects.requireNonNull(ralph, "ralph");
    Objects.requireNonNull(project, "project");
    return new LogMailboxes(ralph, project);
  }

  /** Returns the name of the project. */
  String project();

  /**
   * Returns the box of that address.
   *
   * @param address any name; one that begins with {@value #SESSION} is that of a session's inbox,
   *     whose running agent is shown the mail while it works
   * @throws RalphException INVALID if the name is blank, too long or no Unicode, or that of no
   *     session
   */
  Mailbox box(String address);

  /** Returns the inbox of a session as a box, whose address is {@value #SESSION} and its name. */
  default Mailbox session(String name) {
    return box(SESSION + Objects.requireNonNull(name, "name"));
  }

  /**
   * Sends a mail from nobody in particular: it can't be answered.
   *
   * @return as {@link Mailbox#send} does
   * @throws RalphException as {@link Mailbox#send} does
   */
  List<Mail> send(NewMail mail);

  /** Returns the project's boxes, by name; the inboxes of sessions are not among them. */
  List<Mailbox.Listed> boxes();

  /**
   * Returns a topic for what a program keeps in the log beside these boxes. No box uses it, and a
   * {@linkplain #dispatch dispatch} can be decided on by what stands there.
   *
   * @param name letters, digits, '_' and '-'
   * @throws RalphException INVALID if a topic can't have that name
   */
  Topic topic(String name);

  /**
   * Returns the same boxes for a program that records the mails whose deadline passes while they
   * wait. Each is logged once, when somebody first {@linkplain Mailbox#receive receives} from its
   * box or {@linkplain #expire looks}. If that is done by the boxes returned here, a frame of the
   * program's own is appended with it.
   *
   * @param frame makes that frame, of a {@link #topic}; may be called more than once for a mail
   * @param told is called for each mail after it is logged
   */
  Mailboxes onExpiry(Function<Mail, Draft> frame, Consumer<Mail> told);

  /**
   * Returns the same boxes for a program that does the work itself: a lease names this process, and
   * ends when the process does. Mails that a killed process of this machine held are received
   * within about a second, before those of a higher priority, unless their deadline has passed.
   * Only the boxes that this method returns look for such mails.
   */
  Mailboxes heldByProcess();

  /**
   * Logs the mails of a box whose deadline has passed while they waited. {@link Mailbox#receive}
   * does this as well; call this when nobody is receiving.
   */
  void expire(String address);

  /**
   * Decides by a state of the caller's own which mails to send, and sends them together with the
   * frames that say why: all or nothing. A mail whose sender used its key before is left out.
   *
   * <p>It decides again only if something is written to the ledger's topic meanwhile. So those who
   * receive from the boxes never delay it. If two send the same key at the same moment, only one of
   * the mails is sent if both use this topic.
   *
   * @param what is being done, as the error message calls it
   * @param ledger of a {@link #topic}
   * @return the answer of the decision
   * @throws RalphException what the decider threw; INVALID if a mail breaks a rule, as with {@link
   *     Mailbox#send}; else as {@link Ledger#decide} says
   */
  <R, T> T dispatch(String what, Ledger<R> ledger, BiFunction<R, Instant, Dispatch<T>> decider);
}
