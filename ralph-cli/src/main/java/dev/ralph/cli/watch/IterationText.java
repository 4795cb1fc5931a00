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
 * The full text of an iteration: the conversation from the record. The agent's output is added if
 * the record has no text of a model. Used by a single thread.
 */
final class IterationText implements ScrolledScreen.Text {

  /**
   * The factor by which the pause before the next read of a long record exceeds the duration of the
   * last read.
   */
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
   * @param showsPrompt the key that shows the prompt, or null if the prompt is visible
   */
  IterationText(Session session, Iteration iteration, @Nullable String showsPrompt) {
    this.session = session;
    this.iteration = iteration;
    this.showsPrompt = showsPrompt;
  }

  /** Returns a copy that shows the prompt if it is hidden, and hides a visible prompt. */
  IterationText withOrWithoutPrompt(String key) {
    return new IterationText(session, iteration, showsPrompt == null ? key : null);
  }

  /** Marks the text as outdated. */
  void changed() {
    isStale = true;
  }

  /** Returns whether the text is outdated since the last read. */
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
    TextRows all = new TextRows(columns);
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
        all.add("Output of the agent:");
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

  /** Joins pieces into lines. */
  private static final class Lines {

    private final TextRows rows;
    private final StringBuilder open = new StringBuilder();

    Lines(TextRows rows) {
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
