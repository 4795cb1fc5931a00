package dev.ralph.cli.session;

import dev.ralph.Control;
import dev.ralph.RalphException;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;

/** {@code ralph complete}, {@code pause}, {@code resume} and {@code stop}: an order to the loop. */
public final class ControlCommand implements Command {

  private final String order;

  public ControlCommand(String order) {
    this.order = order;
  }

  @Override
  public Syntax syntax() {
    return switch (order) {
      case "complete" -> Syntax.of("say that all work is done").session().store();
      case "pause" -> Syntax.of("let the loop wait before its next iteration").session().store();
      case "resume" -> Syntax.of("let a paused loop go on").session().store();
      default ->
          Syntax.of("end the loop after the iteration under way")
              .session()
              .value("reason", "TEXT", "why")
              .flag("gone", "the loop died on another machine: let others begin")
              .store();
    };
  }

  @Override
  public int run(Invocation call) {
    Control control = call.session().control();
    String done;
    switch (order) {
      case "complete" -> {
        complete(call, control);
        done = "Completion claimed; the loop grants it once the gates pass";
      }
      case "pause" -> {
        control.pause();
        done = "Paused; ralph resume goes on";
      }
      case "resume" -> {
        control.resume();
        done = "Resumed";
      }
      case "stop" -> {
        if (call.arguments().has("gone")) {
          control.loopIsGone();
          done = "The session is free for another loop";
          break;
        }
        // Before: the loop may have ended by the time that the order is written.
        boolean heard = control.running().map(Control.RunningLoop::live).orElse(false);
        control.stop(call.textIfAny("reason"));
        done =
            heard
                ? "Stop ordered; the iteration under way goes on to its end"
                : "No loop runs on " + call.sessionName() + ", so there is nothing to stop";
      }
      default -> throw new IllegalStateException(order);
    }
    return answer(call, done);
  }

  /** Claims completion; where a message stands in the way, tells the command that removes it. */
  private static void complete(Invocation call, Control control) {
    try {
      control.complete();
    } catch (RalphException e) {
      if (e.code() != RalphException.Code.INVALID || call.session().inbox().unread().isEmpty()) {
        throw e;
      }
      throw RalphException.invalid(
          e.getMessage()
              + "; mark it by: ralph inbox read"
              + call.sessionWords(call.sessionName())
              + " ID");
    }
  }

  private int answer(Invocation call, String done) {
    if (call.json()) {
      call.answer("control", "order", order);
    } else {
      call.print(done);
    }
    return ExitCode.DONE;
  }
}
