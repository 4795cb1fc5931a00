package dev.ralph.cli.watch;

import dev.ralph.Control;
import dev.ralph.NewMessage;
import dev.ralph.Question;
import dev.ralph.Session;
import dev.ralph.cli.terminal.ScrolledScreen;
import dev.ralph.cli.terminal.ScrolledScreen.Reply;
import dev.ralph.cli.terminal.TypedLine;
import dev.ralph.log.RalphException;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What the keys of {@code ralph watch} do to the session that it shows. */
final class SessionOrders implements ScrolledScreen.Orders {

  /** So many at each press: who wants more presses again. */
  private static final int MORE_ITERATIONS = 10;

  private final Session session;

  SessionOrders(Session session) {
    this.session = session;
  }

  @Override
  public @Nullable Reply pressed(char key) {
    return switch (key) {
      case 'm' -> ask("message: ", this::send);
      case 't' -> ask("task: ", text -> "added t" + session.tasks().add(text).number());
      case 'a' -> said(this::answer);
      case 'p' -> said(this::pauseOrResume);
      case 's' -> said(this::stop);
      case '+' -> said(this::raise);
      default -> null;
    };
  }

  private String send(String text) {
    return "sent m" + session.inbox().send(NewMessage.of(text)).number();
  }

  private Reply answer() {
    List<Question> open = session.questions().open();
    if (open.isEmpty()) {
      return new Reply("no question is open", null);
    }
    String question = "q" + open.get(0).number();
    return ask(
        "answer to " + question + ": ",
        text -> {
          session.questions().answer(question, text);
          return "answered " + question;
        });
  }

  private Reply pauseOrResume() {
    Control control = session.control();
    if (control.isPaused()) {
      control.resume();
      return new Reply("it goes on", null);
    }
    control.pause();
    return new Reply("it pauses before the next iteration; p lets it go on", null);
  }

  private Reply stop() {
    if (!session.control().running().map(Control.RunningLoop::live).orElse(false)) {
      return new Reply("no loop runs", null);
    }
    return ask(
        "stop after this iteration? yes or no: ",
        text -> {
          if (!text.strip().equals("yes")) {
            return "it goes on";
          }
          session.control().stop(null);
          return "it stops after this iteration";
        });
  }

  private Reply raise() {
    session.control().raise(Control.More.iterations(MORE_ITERATIONS));
    return new Reply("it may begin " + MORE_ITERATIONS + " iterations more", null);
  }

  private static Reply ask(String label, UnaryOperator<String> entered) {
    return new Reply("", new TypedLine(label, text -> unlessRefused(() -> entered.apply(text))));
  }

  private static Reply said(Supplier<Reply> order) {
    try {
      return order.get();
    } catch (RalphException refused) {
      return new Reply(String.valueOf(refused.getMessage()), null);
    }
  }

  private static String unlessRefused(Supplier<String> order) {
    try {
      return order.get();
    } catch (RalphException refused) {
      return String.valueOf(refused.getMessage());
    }
  }
}
