package dev.ralph.cli.terminal;

import dev.ralph.cli.text.Columns;
import dev.ralph.cli.text.SafeText;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A screen that shows as much as fits, or, once somebody scrolls, a part of everything. Shown by
 * one thread; keys come from others.
 */
public final class ScrolledScreen implements AutoCloseable {

  /** Where nothing is scrolled away: the page is laid out for the window. */
  private static final int FITTING = 0;

  /** What there is to show, in rows no wider than asked, with nothing in them that acts. */
  public interface Content {

    /** Returns what matters most, no more rows than fit. */
    List<String> fitting(Screen.Size size);

    /** Returns everything, however many rows that takes. */
    List<String> whole(int columns);
  }

  /** What keys do that neither scroll nor end the view. */
  public interface Orders {

    /** Returns what comes of a key; null where it means nothing. May take its time. */
    @Nullable Reply pressed(char key);
  }

  /**
   * What comes of a key.
   *
   * @param said for the person; may be empty
   * @param line what is to be typed next, or null
   */
  public record Reply(String said, @Nullable TypedLine line) {}

  private final Screen screen;
  private final Content content;
  private final Orders orders;
  private final Keys keys = new Keys();
  private final Style style;
  private final Runnable wake;
  private final Runnable quit;
  private final AtomicBoolean allOver = new AtomicBoolean(true);

  /** How many rows were scrolled away; as many as there are at most, once it is shown. */
  private int offset = FITTING;

  // What stands in the last row, instead of that of the page.
  private String said = "";
  private @Nullable TypedLine line;

  /**
   * Takes the screen.
   *
   * @param orders what other keys do
   * @param wake called, from any thread, when {@link #show} should be called
   * @param quit called, from any thread, when somebody wants to leave
   */
  public ScrolledScreen(
      Output out, Style style, Content content, Orders orders, Runnable wake, Runnable quit) {
    this.content = content;
    this.orders = orders;
    this.style = style;
    this.wake = wake;
    this.quit = quit;
    this.screen =
        Screen.open(
            out,
            () -> {
              allOver.set(true);
              wake.run();
            },
            this::typed);
  }

  /** Takes a byte; called by one thread. */
  private void typed(int b) {
    TypedLine open;
    synchronized (this) {
      open = line;
    }
    if (open != null) {
      String answer = open.take(b);
      if (answer != null) {
        say(answer, null);
      }
      wake.run();
      return;
    }
    Keys.Key key = keys.take(b);
    if (key != null) {
      key(key);
      return;
    }
    Reply reply = keys.isWithin() ? null : orders.pressed((char) b);
    if (reply != null) {
      say(reply.said(), reply.line());
      wake.run();
    }
  }

  private synchronized void say(String text, @Nullable TypedLine next) {
    said = text;
    line = next;
  }

  private void key(Keys.Key key) {
    if (key == Keys.Key.QUIT) {
      quit.run();
      return;
    }
    int page = Math.max(1, screen.size().rows() - 2);
    synchronized (this) {
      said = "";
      long to =
          switch (key) {
            case UP -> offset - 1L;
            case DOWN -> offset + 1L;
            case PAGE_UP -> (long) offset - page;
            case PAGE_DOWN -> (long) offset + page;
            case BOTTOM -> Integer.MAX_VALUE;
            default -> FITTING;
          };
      offset = (int) Math.max(FITTING, Math.min(to, Integer.MAX_VALUE));
    }
    wake.run();
  }

  /** Shows how things are now. */
  public void show() {
    Screen.Size size = screen.size();
    boolean all = allOver.getAndSet(false);
    List<String> rows = new ArrayList<>(scrolled(size));
    if (rows.isEmpty()) {
      rows.addAll(content.fitting(size));
    }
    String last = last(size.columns());
    if (!last.isEmpty()) {
      while (rows.size() >= size.rows()) {
        rows.remove(rows.size() - 1);
      }
      while (rows.size() < size.rows() - 1) {
        rows.add("");
      }
      rows.add(last);
    }
    screen.show(rows, all);
  }

  /** Returns what stands in the last row, of a long line its end; empty for that of the page. */
  private synchronized String last(int columns) {
    if (line == null) {
      return Columns.cut(SafeText.line(said), columns);
    }
    String shown = SafeText.line(line.shown()) + "_";
    if (shown.length() > 2 * (columns + 1)) {
      shown = shown.substring(shown.offsetByCodePoints(shown.length(), -columns - 1));
    }
    while (!Columns.cut(shown, columns).equals(shown)) {
      shown =
          "\u2026"
              + shown.substring(shown.offsetByCodePoints(0, shown.startsWith("\u2026") ? 2 : 1));
    }
    return shown;
  }

  /** Returns the part of everything that somebody scrolled to; nothing where that is the top. */
  private List<String> scrolled(Screen.Size size) {
    synchronized (this) {
      if (offset == FITTING) {
        return List.of();
      }
    }
    List<String> whole = content.whole(size.columns());
    int room = Math.max(1, size.rows() - 1);
    int from;
    synchronized (this) {
      offset = Math.max(FITTING, Math.min(offset, whole.size() - room));
      from = offset;
    }
    if (from == FITTING) {
      return List.of();
    }
    int to = Math.min(whole.size(), from + room);
    List<String> rows = new ArrayList<>(whole.subList(from, to));
    String footer = "rows " + (from + 1) + " to " + to + " of " + whole.size() + "; g: top, q: end";
    if (rows.size() < size.rows()) {
      rows.add(style.faint(Columns.cut(footer, size.columns())));
    }
    return rows;
  }

  @Override
  public void close() {
    screen.close();
  }
}
