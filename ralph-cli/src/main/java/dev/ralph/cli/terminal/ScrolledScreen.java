package dev.ralph.cli.terminal;

import dev.ralph.cli.text.Columns;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

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

  private final Screen screen;
  private final Content content;
  private final Style style;
  private final Runnable wake;
  private final Runnable quit;
  private final AtomicBoolean allOver = new AtomicBoolean(true);

  /** How many rows were scrolled away; as many as there are at most, once it is shown. */
  private int offset = FITTING;

  /**
   * Takes the screen.
   *
   * @param wake called, from any thread, when {@link #show} should be called
   * @param quit called, from any thread, when somebody wants to leave
   */
  public ScrolledScreen(Output out, Style style, Content content, Runnable wake, Runnable quit) {
    this.content = content;
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
            this::key);
  }

  private void key(Keys.Key key) {
    if (key == Keys.Key.QUIT) {
      quit.run();
      return;
    }
    int page = Math.max(1, screen.size().rows() - 2);
    synchronized (this) {
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
    List<String> rows = scrolled(size);
    screen.show(rows.isEmpty() ? content.fitting(size) : rows, all);
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
