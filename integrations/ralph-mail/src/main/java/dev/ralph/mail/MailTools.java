package dev.ralph.mail;

import dev.ralph.HostTools;
import dev.ralph.Ralph;
import dev.ralph.Redactor;
import dev.ralph.core.internal.text.ListArgument;
import dev.ralph.core.internal.text.TextExcerpt;
import dev.ralph.domain.Lease;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.tool.AgentTools;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Offers a mailbox to one agent as two tools. A received mail is acknowledged when the agent
 * answers the mail or receives the next one. If the result with the mail had not been sent to the
 * agent by then, the agent gets the mail again. The lease is renewed for as long as the tools are
 * open; closing the tools releases the mail. Neither tool waits.
 */
public final class MailTools implements HostTools {

  private static final String SEND = "mail_send";
  private static final String RECEIVE = "mail_receive";

  private static final String TO = "to";
  private static final String TEXT = "text";
  private static final String REPLY_TO = "reply_to";

  /** The number of characters of a mail that an agent gets. */
  private static final int SHOWN = 20_000;

  private static final List<AgentTools.Definition> DEFINITIONS =
      List.of(
          new AgentTools.Definition(
              SEND,
              "Mail agents, or answer a mail: reply_to, no to",
              schema(Meta.of(TO, boxes()).with(TEXT, text()).with(REPLY_TO, text()), List.of(TEXT)),
              false),
          new AgentTools.Definition(
              RECEIVE,
              "Your next mail, if any. Marks the one before as done",
              schema(Meta.empty(), List.of()),
              false));

  private final String project;
  private final String box;
  private final Duration lease;
  private final Lease.Renewal renewal;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private @Nullable Received held;
  private boolean closed;

  /**
   * The token of the mail that the agent got last. Not guarded by the lock, because a call may hold
   * the lock while it waits for the store.
   */
  private volatile @Nullable String shown;

  /**
   * Creates the tools.
   *
   * @param box the box of the agent
   * @param lease the length of the lease, 1 ms to 30 days: a mail becomes free after this time if
   *     the process is killed. The lease is renewed while the tools are open
   * @throws RalphException INVALID if the name of the project or the box is invalid
   */
  public MailTools(String project, String box, Duration lease) {
    this.project = Objects.requireNonNull(project, "project");
    this.box = Objects.requireNonNull(box, "box");
    this.lease = Objects.requireNonNull(lease, "lease");
    BoxAddress.topic(BoxAddress.scope(project), box);
    this.renewal = new Lease.Renewal(lease, this::renew);
  }

  private static Meta text() {
    return Meta.of("type", "string");
  }

  private static Meta boxes() {
    return Meta.of("anyOf", List.of(text(), Meta.of("type", "array").with("items", text())));
  }

  private static String schema(Meta properties, List<String> required) {
    return Meta.of("type", "object")
        .with("properties", properties)
        .with("required", required.isEmpty() ? null : required)
        .json();
  }

  @Override
  public List<AgentTools.Definition> definitions() {
    return DEFINITIONS;
  }

  @Override
  public String instructions() {
    return "You have a mailbox, "
        + line(box)
        + ": mail_receive gives you the next mail of another agent, mail_send writes to others;"
        + " results say if mail waits.";
  }

  @Override
  public String hint(Ralph ralph) {
    int waiting = 0;
    for (Mail mail : Mailboxes.of(ralph, project).box(box).unread()) {
      waiting += mail.state() == Mail.State.WAITING ? 1 : 0;
    }
    return waiting == 0
        ? ""
        : "(" + waiting + (waiting == 1 ? " mail waits" : " mails wait") + ": call mail_receive)";
  }

  @Override
  public AgentTools.Result call(Ralph ralph, String name, Meta arguments) {
    Objects.requireNonNull(ralph, "ralph");
    AgentTools.Call call = begin(() -> ralph, name, arguments);
    AgentTools.Result result = call.run();
    call.answered();
    return result;
  }

  @Override
  public AgentTools.Call begin(Supplier<Ralph> ralph, String name, Meta arguments) {
    Objects.requireNonNull(ralph, "ralph");
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(arguments, "arguments");
    return new OneCall(ralph, name, arguments);
  }

  /** A call, which acknowledges only mails that the agent got before the call began. */
  private final class OneCall implements AgentTools.Call {

    private final Supplier<Ralph> ralph;
    private final String name;
    private final Meta arguments;
    private final @Nullable String seen = shown;
    private volatile @Nullable String shows;

    OneCall(Supplier<Ralph> ralph, String name, Meta arguments) {
      this.ralph = ralph;
      this.name = name;
      this.arguments = arguments;
    }

    @Override
    public AgentTools.Result run(Consumer<String> progress) {
      Ralph store = ralph.get();
      lock.lock();
      try {
        if (closed) {
          throw RalphException.closed("the mailbox");
        }
        Mailbox own = Mailboxes.of(store, project).box(box);
        boolean sends = name.equals(SEND);
        requireKnown(arguments, sends ? List.of(TO, TEXT, REPLY_TO) : List.of());
        return AgentTools.Result.of(sends ? send(own, arguments, store.redactor()) : receive(own));
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void answered() {
      String token = shows;
      if (token != null) {
        shown = token;
      }
    }

    private String receive(Mailbox own) {
      String late = settle(seen);
      if (held == null) {
        held = own.receive(lease).orElse(null);
      }
      Received next = held;
      if (next == null) {
        return late + "No mail";
      }
      renewal.start();
      shows = next.token();
      return late + letter(next);
    }
  }

  private static void requireKnown(Meta arguments, List<String> known) {
    for (String name : arguments.keys()) {
      if (!known.contains(name)) {
        throw RalphException.invalid(
            "unknown argument "
                + RalphException.quote(name)
                + (known.isEmpty()
                    ? "; no arguments are allowed"
                    : "; allowed: " + String.join(", ", known)));
      }
    }
  }

  private String send(Mailbox own, Meta arguments, Redactor redactor) {
    String text = text(arguments.value(TEXT), TEXT);
    if (text == null) {
      throw RalphException.invalid(TEXT + " required");
    }
    NewMail mail = NewMail.of(redactor.redact(text));
    List<String> to = ListArgument.texts(TO, arguments.value(TO));
    String answered = text(arguments.value(REPLY_TO), REPLY_TO);
    if (answered == null) {
      if (to.isEmpty()) {
        throw RalphException.invalid("to required: a box or an array of boxes");
      }
      return "Sent to "
          + own.send(mail.to(to)).stream()
              .map(sent -> line(sent.box()) + ": " + sent.ref())
              .collect(Collectors.joining(", "));
    }
    if (!to.isEmpty()) {
      throw RalphException.invalid("an answer goes to the sender of the mail: omit to or reply_to");
    }
    Received last = held;
    String token =
        last != null && own.get(answered).id().equals(last.mail().id()) ? last.token() : null;
    Mail sent = own.reply(answered, token, mail);
    if (token != null) {
      held = null;
    }
    return "Answered " + sent.box() + ": " + sent.ref();
  }

  /**
   * Returns a text, or null if the text is missing or blank: models write an empty text instead of
   * omitting an argument.
   */
  private static @Nullable String text(@Nullable Object value, String name) {
    if (value != null && !(value instanceof String)) {
      throw RalphException.invalid(name + " must be a text");
    }
    return value == null || value.toString().isBlank() ? null : value.toString();
  }

  private void renew() {
    lock.lock();
    try {
      Received last = held;
      if (last != null) {
        held = last.renew(lease);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Acknowledges the held mail, or renews the lease if the agent has not seen the mail.
   *
   * @param seen the token of the mail that the agent has seen last, or null
   * @return a note for the agent if the lease had lapsed before the acknowledgement, otherwise an
   *     empty text
   */
  private String settle(@Nullable String seen) {
    Received before = held;
    if (before == null) {
      return "";
    }
    boolean done = before.token().equals(seen);
    try {
      if (done) {
        before.ack();
      }
      held = done ? null : before.renew(lease);
      return "";
    } catch (RalphException e) {
      if (e.code() != RalphException.Code.INVALID && e.code() != RalphException.Code.NOT_FOUND) {
        throw e; // The mail is still held; the next call settles it.
      }
      held = null;
      return done ? "Note: " + e.getMessage() + "\n\n" : "";
    }
  }

  private String letter(Received received) {
    Mail mail = received.mail();
    String text = mail.beginning(SHOWN);
    return "Mail "
        + mail.ref()
        + (mail.from() == null ? "" : " from " + line(mail.from()))
        + (received.isRedelivery() ? " (received before)" : "")
        + (mail.awaitedUntil() == null ? "" : ", answer expected")
        + (mail.headline() == null ? "" : "\n" + line(mail.headline()))
        + "\n\n"
        + TextExcerpt.indented(text)
        + (text.length() == mail.length() ? "" : rest(mail, text.length()));
  }

  private static String line(String text) {
    return TextExcerpt.clean(text).replace('\n', ' ');
  }

  private String rest(Mail mail, int shown) {
    return "…\n("
        + shown
        + " of "
        + mail.length()
        + " characters; ralph mail show --project "
        + project
        + " --as "
        + box
        + " "
        + mail.ref()
        + " has all)";
  }

  @Override
  public void close() {
    renewal.close();
    lock.lock();
    try {
      closed = true;
      Received last = held;
      held = null;
      if (last != null) {
        last.release();
      }
    } catch (RalphException lapsed) {
      // The mail is already free, or becomes free when its lease expires.
    } finally {
      lock.unlock();
    }
  }
}
