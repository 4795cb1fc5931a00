package dev.ralph.cli.session;

import dev.ralph.Control;
import dev.ralph.Message;
import dev.ralph.Session;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.core.internal.delivery.AgentInbox;
import dev.ralph.core.internal.delivery.OperatorMessages;
import dev.ralph.core.internal.delivery.ReadingProof;
import dev.ralph.core.internal.host.SessionOffers;
import dev.ralph.core.internal.text.AssignedTask;
import dev.ralph.log.RalphException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code ralph complete}, {@code pause}, {@code resume} and {@code stop}: orders for the loop. */
public final class ControlCommand implements Command {

  /** The reader name of a caller that claims completion without another identity. */
  private static final String READER = "complete";

  private final String order;

  public ControlCommand(String order) {
    this.order = order;
  }

  @Override
  public CommandSyntax syntax() {
    return switch (order) {
      case "complete" ->
          CommandSyntax.of("declare all work complete")
              .session()
              .value(
                  "word",
                  "WORD",
                  "the word shown with the unread messages, as proof that they were read")
              .store();
      case "pause" ->
          CommandSyntax.of("pause the loop before its next iteration").session().store();
      case "resume" -> CommandSyntax.of("resume a paused loop").session().store();
      default ->
          CommandSyntax.of("end the loop after the running iteration")
              .session()
              .value("reason", "TEXT", "why")
              .flag("gone", "the loop died on another machine: release the session")
              .store();
    };
  }

  @Override
  public void run(Invocation call) {
    Control control = call.session().control();
    String done;
    switch (order) {
      case "complete" -> {
        complete(call);
        done =
            "Completion claimed; the "
                + (runs(control) ? "loop" : "next ralph build")
                + " accepts it if the gates pass";
      }
      case "pause" -> {
        control.pause();
        done = "Paused; continue with ralph resume";
      }
      case "resume" -> {
        control.resume();
        done = "Resumed";
      }
      case "stop" -> {
        if (call.arguments().has("gone")) {
          control.loopIsGone();
          done = "The session is released for another loop";
          break;
        }
        // Checked first, because the loop may have ended when the order is written.
        boolean heard = runs(control);
        String reason = call.reason();
        control.stop(reason);
        boolean offered =
            SessionOffers.of(call.store().ralph())
                .withdraw(call.sessionName(), reason == null ? "stopped" : "stopped: " + reason);
        if (!heard && offered) {
          done = "Withdrawn; no host runs " + call.sessionName();
          break;
        }
        if (!heard) {
          answer(
              call, null, "No loop runs the session " + call.sessionName() + "; nothing to stop");
          return;
        }
        done = "Stop requested; the loop ends after the running iteration";
      }
      default -> throw new IllegalStateException(order);
    }
    answer(call, order, done);
  }

  private static boolean runs(Control control) {
    return control.running().map(Control.RunningLoop::live).orElse(false);
  }

  /**
   * Claims completion. If unread messages prevent completion, prints them with a word that proves
   * their reading. A command line written before the output cannot contain the word.
   */
  private static void complete(Invocation call) {
    Session session = call.session();
    if (call.isOfLoop(session.name())) {
      AssignedTask.requireFinished(session, call.agent());
    }
    AgentInbox inbox = AgentInbox.of(session);
    ReadingProof proof = ReadingProof.of(inbox.unreadBy(READER), message -> false);
    if (proof.isProvenBy(call.arguments().text("word"))) {
      AgentInbox.Call by = new AgentInbox.Call(READER, "1", Set.of(), call.iteration(session));
      inbox.acknowledge(by, proof.messages().stream().map(Message::id).toList());
    }
    try {
      session.control().complete();
    } catch (RalphException e) {
      if (e.code() != RalphException.Code.INVALID || session.inbox().unread().isEmpty()) {
        throw e;
      }
      throw RalphException.invalid(e.getMessage() + toRead(call, session));
    }
  }

  private static String toRead(Invocation call, Session session) {
    String where = call.sessionWords(call.sessionName());
    String marking = "ralph inbox read" + where + " ID";
    ReadingProof proof = ReadingProof.of(AgentInbox.of(session).unreadBy(READER), message -> false);
    if (!proof.isPossible() || call.json()) {
      return "; "
          + (proof.cut().isEmpty() ? "" : "read the message: ralph inbox show" + where + " ID; ")
          + "mark it as read: "
          + marking;
    }
    for (Message message : proof.messages()) {
      call.print(OperatorMessages.item(message));
    }
    return "; when the work of the messages above is done, confirm with the code: ralph complete"
        + where
        + " --word "
        + proof.word()
        + ", or mark them as read: "
        + marking;
  }

  private static void answer(Invocation call, @Nullable String order, String done) {
    if (call.json()) {
      call.answer("control", "order", order);
    } else {
      call.print(done);
    }
  }
}
