package dev.ralph.mail;

import dev.ralph.Ralph;
import dev.ralph.RalphException;
import dev.ralph.core.text.Excerpt;
import dev.ralph.domain.Renewal;
import dev.ralph.log.Meta;
import dev.ralph.tool.HostTools;
import dev.ralph.tool.ToolDefinition;
import dev.ralph.tool.ToolResult;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A mailbox as two tools for one agent. A mail that it receives is acknowledged when it answers it,
 * or receives the next one. Until then the lease is renewed, however long the agent works; if it
 * ends before, the mail is given back. Neither tool waits.
 */
public final class MailTools implements HostTools {

  private static final String SEND = "mail_send";
  private static final String RECEIVE = "mail_receive";

  /** As many characters as an agent takes in at once. */
  private static final int SHOWN = 20_000;

  private static final List<ToolDefinition> DEFINITIONS =
      List.of(
          new ToolDefinition(
              SEND,
              "Mail an agent, or answer a mail by reply_to",
              schema(
                  Meta.of("to", text()).with("text", text()).with("reply_to", text()),
                  List.of("text")),
              false),
          new ToolDefinition(
              RECEIVE,
              "Your next mail, if any. Marks the one before as done",
              schema(Meta.empty(), List.of()),
              false));

  private final String project;
  private final String box;
  private final Duration lease;
  private final Renewal renewal;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private @Nullable Received held;
  private boolean closed;

  /**
   * Makes the tools.
   *
   * @param box the agent's own
   * @param lease for how long nobody else receives what the agent received if it is killed, so that
   *     nobody can give it back: 1 ms to 30 days. As long as the tools are open it is renewed
   * @throws RalphException INVALID if a project or a box can't have that name
   */
  public MailTools(String project, String box, Duration lease) {
    this.project = Objects.requireNonNull(project, "project");
    this.box = Objects.requireNonNull(box, "box");
    this.lease = Objects.requireNonNull(lease, "lease");
    BoxAddress.topic(BoxAddress.scope(project), box);
    this.renewal = new Renewal(lease, this::renew);
  }

  private static Meta text() {
    return Meta.of("type", "string");
  }

  private static String schema(Meta properties, List<String> required) {
    return Meta.of("type", "object")
        .with("properties", properties)
        .with("required", required.isEmpty() ? null : required)
        .with("additionalProperties", false)
        .json();
  }

  @Override
  public List<ToolDefinition> definitions() {
    return DEFINITIONS;
  }

  @Override
  public ToolResult call(Ralph ralph, String name, Meta arguments) {
    Objects.requireNonNull(ralph, "ralph");
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(arguments, "arguments");
    lock.lock();
    try {
      if (closed) {
        throw RalphException.closed("the mailbox");
      }
      Mailbox own = Mailboxes.of(ralph, project).box(box);
      return ToolResult.of(name.equals(SEND) ? send(own, arguments) : receive(own));
    } finally {
      lock.unlock();
    }
  }

  private String send(Mailbox own, Meta arguments) {
    NewMail mail = NewMail.of(required(arguments, "text"));
    String answered = arguments.string("reply_to");
    if (answered == null) {
      Mail sent = own.send(mail.to(required(arguments, "to"))).get(0);
      return "Sent to " + sent.box() + ": " + sent.ref();
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

  private static String required(Meta arguments, String name) {
    String value = arguments.string(name);
    if (value == null || value.isBlank()) {
      throw RalphException.invalid(name + " required, which is a text");
    }
    return value;
  }

  private String receive(Mailbox own) {
    String late = settle();
    Optional<Received> next = own.receive(lease);
    held = next.orElse(null);
    if (held != null) {
      renewal.start();
    }
    return late + next.map(this::letter).orElse("No mail");
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

  /** Acknowledges what was received before; returns what to say if that came too late. */
  private String settle() {
    Received before = held;
    held = null;
    if (before == null) {
      return "";
    }
    try {
      before.ack();
      return "";
    } catch (RalphException e) {
      if (e.code() != RalphException.Code.INVALID) {
        throw e;
      }
      return "Note: " + e.getMessage() + "\n\n";
    }
  }

  private String letter(Received received) {
    Mail mail = received.mail();
    String text = mail.beginning(SHOWN);
    return "Mail "
        + mail.ref()
        + (mail.from() == null ? "" : " from " + line(mail.from()))
        + (received.again() ? " (received before)" : "")
        + (mail.awaitedUntil() == null ? "" : ", an answer is waited for")
        + (mail.headline() == null ? "" : "\n" + line(mail.headline()))
        + "\n\n"
        + Excerpt.indented(text)
        + (text.length() == mail.length() ? "" : rest(mail, text.length()));
  }

  private static String line(String text) {
    return Excerpt.clean(text).replace('\n', ' ');
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
      // Then it is free already, or will be at the end of its lease.
    } finally {
      lock.unlock();
    }
  }
}
