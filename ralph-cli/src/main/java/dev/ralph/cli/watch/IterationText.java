package dev.ralph.cli.watch;

import dev.ralph.Control;
import dev.ralph.Iteration;
import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.cli.session.IterationForm;
import dev.ralph.cli.session.RecordForm;
import dev.ralph.cli.terminal.ScrolledScreen;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.SafeText;
import dev.ralph.log.RalphException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An iteration in full: its conversation from the record and, where no model spoke in that, what
 * the agent printed. Shown by one thread.
 */
final class IterationText implements ScrolledScreen.Text {

  /** A long record is read again after a pause of so many times what reading it took. */
  private static final int LEAST_SHARE = 10;

  private static final int LONGEST_LINE = 64 * 1024;

  private final Session session;
  private final Iteration iteration;
  private final @Nullable String showsPrompt;
  private List<String> rows = List.of();
  private int columns;
  private long read;
  private long took;

  private volatile boolean isStale = true;

  /**
   * @param showsPrompt the key that shows the prompt, or null where it is shown
   */
  IterationText(Session session, Iteration iteration, @Nullable String showsPrompt) {
    this.session = session;
    this.iteration = iteration;
    this.showsPrompt = showsPrompt;
  }

  /** Returns the same with its prompt, or without where this has it. */
  IterationText withOrWithoutPrompt(String key) {
    return new IterationText(session, iteration, showsPrompt == null ? key : null);
  }

  /** Says that more may have been written. */
  void changed() {
    isStale = true;
  }

  /** Returns whether that was said since it was read. */
  boolean isBehind() {
    return isStale;
  }

  @Override
  public List<String> whole(int columns) {
    long now = System.nanoTime();
    if (columns != this.columns || isStale && now - read >= LEAST_SHARE * took) {
      this.columns = columns;
      isStale = false;
      rows = read();
      read = System.nanoTime();
      took = read - now;
    }
    return rows;
  }

  private List<String> read() {
    Rows all = new Rows(columns);
    try {
      boolean cutOff = session.control().running().filter(Control.RunningLoop::live).isEmpty();
      all.add(IterationForm.line(newest(), session, cutOff, Style.plain()));
      RecordForm form = new RecordForm(Style.plain(), showsPrompt);
      boolean[] spoke = {false};
      session
          .iterations()
          .record(
              iteration.number(),
              entry -> {
                spoke[0] |= entry.type() == RecordEntry.Type.TEXT;
                all.add(form.text(entry));
              });
      if (!spoke[0]) {
        all.add("What the agent printed:");
        Lines lines = new Lines(all);
        session.iterations().transcript(iteration.number(), lines::piece);
        lines.end();
      }
    } catch (RalphException notNow) {
      all.add(SafeText.text(String.valueOf(notNow.getMessage())));
    }
    return all.all();
  }

  private Iteration newest() {
    return session.iterations().list().stream()
        .filter(each -> each.number() == iteration.number())
        .findFirst()
        .orElse(iteration);
  }

  /** Makes lines of pieces. */
  private static final class Lines {

    private final Rows rows;
    private final StringBuilder open = new StringBuilder();

    Lines(Rows rows) {
      this.rows = rows;
    }

    void piece(String text) {
      int from = 0;
      for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
        open.append(text, from, end);
        end();
        from = end + 1;
      }
      open.append(text, from, text.length());
      if (open.length() > LONGEST_LINE) {
        end();
      }
    }

    void end() {
      if (open.length() > 0) {
        rows.add(SafeText.printed(open.toString()));
      }
      open.setLength(0);
    }
  }
}
