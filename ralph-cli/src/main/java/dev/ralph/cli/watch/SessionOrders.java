package dev.ralph.cli.watch;

import dev.ralph.Control;
import dev.ralph.Iteration;
import dev.ralph.NewMessage;
import dev.ralph.Question;
import dev.ralph.Session;
import dev.ralph.cli.terminal.ScrolledScreen;
import dev.ralph.cli.terminal.ScrolledScreen.Reply;
import dev.ralph.cli.terminal.TypedLine;
import dev.ralph.cli.text.SafeText;
import dev.ralph.log.RalphException;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Executes the keys of {@code ralph watch} that change or inspect the session. */
final class SessionOrders implements ScrolledScreen.Orders {

  /** The number of iterations added per key press. */
  private static final int MORE_ITERATIONS = 10;

  private static final String PROMPT = "P";

  private static final String KEYS =
      """
      m  send a message: type a line, Enter sends, Escape cancels
      a  answer the oldest question
      t  add a task
      p  pause the loop before its next iteration, or resume the loop
      s  stop the loop after the running iteration
      +  raise the limit by ten iterations
      i  open the record of an iteration; P also shows its prompt
      n  show the prompt of the next iteration

      Arrow keys, PgUp, PgDn, Home and End scroll; so do k, j, b, space, g and G.
      q closes the opened page, or the view; the loop continues.
      """;

  private final Session session;
  private final Supplier<String> nextPrompt;

  /** The last opened iteration. */
  private volatile @Nullable IterationText opened;

  /**
   * @param nextPrompt returns the prompt of the next iteration
   */
  SessionOrders(Session session, Supplier<String> nextPrompt) {
    this.session = session;
    this.nextPrompt = nextPrompt;
  }

  /** Marks the opened iteration as outdated. */
  void changed() {
    IterationText text = opened;
    if (text != null) {
      text.changed();
    }
  }

  /** Returns whether the shown text of the opened iteration is outdated. */
  boolean isBehind() {
    IterationText text = opened;
    return text != null && text.isBehind();
  }

  @Override
  public @Nullable Reply pressed(char key) {
    return switch (key) {
      case 'm' -> ask("message: ", this::send);
      case 't' -> ask("task: ", text -> "added t" + session.tasks().add(text).number());
      case 'a' -> unlessRefused(this::answer);
      case 'p' -> unlessRefused(this::pauseOrResume);
      case 's' -> unlessRefused(this::stop);
      case '+' -> unlessRefused(this::raise);
      case 'i' -> unlessRefused(this::chooseIteration);
      case 'P' -> prompt();
      case 'n' -> unlessRefused(() -> open(SafeText.text(nextPrompt.get())));
      case '?' -> open(KEYS.strip());
      default -> null;
    };
  }

  private String send(String text) {
    return "sent m" + session.inbox().send(NewMessage.of(text)).number();
  }

  private Reply answer() {
    List<Question> open = session.questions().open();
    if (open.isEmpty()) {
      return Reply.message("no question is open");
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
      return Reply.message("resumed");
    }
    control.pause();
    return Reply.message("pausing before the next iteration; press p to resume");
  }

  private Reply stop() {
    if (!session.control().running().map(Control.RunningLoop::live).orElse(false)) {
      return Reply.message("no loop runs");
    }
    return ask(
        "stop after this iteration? yes or no: ",
        text -> {
          if (!text.strip().equals("yes")) {
            return "not stopped";
          }
          session.control().stop(null);
          return "stopping after this iteration";
        });
  }

  private Reply raise() {
    session.control().raise(Control.More.iterations(MORE_ITERATIONS));
    return Reply.message("limit raised by " + MORE_ITERATIONS + " iterations");
  }

  private Reply chooseIteration() {
    List<Iteration> all = session.iterations().list();
    if (all.isEmpty()) {
      return Reply.message("no iteration yet");
    }
    int newest = all.get(all.size() - 1).number();
    return Reply.ask(
        new TypedLine(
            "iteration, up to " + newest + ": ", number -> unlessRefused(() -> iteration(number))));
  }

  private Reply iteration(String typed) {
    String number = typed.strip();
    return session.iterations().list().stream()
        .filter(each -> number.equals(String.valueOf(each.number())))
        .findFirst()
        .map(each -> open(new IterationText(session, each, PROMPT)))
        .orElseGet(() -> Reply.message("no iteration " + number));
  }

  private @Nullable Reply prompt() {
    IterationText text = opened;
    return text == null ? null : open(text.withOrWithoutPrompt(PROMPT));
  }

  private Reply open(IterationText text) {
    opened = text;
    return Reply.open(text);
  }

  private static Reply open(String text) {
    return Reply.open(
        columns -> {
          TextRows rows = new TextRows(columns);
          rows.add(text);
          return rows.all();
        });
  }

  private static Reply ask(String label, Function<String, String> entered) {
    return Reply.ask(
        new TypedLine(label, text -> unlessRefused(() -> Reply.message(entered.apply(text)))));
  }

  private static Reply unlessRefused(Supplier<Reply> order) {
    try {
      return order.get();
    } catch (RalphException refused) {
      return Reply.message(String.valueOf(refused.getMessage()));
    }
  }
}
