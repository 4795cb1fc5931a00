package dev.ralph.cli.terminal;

import dev.ralph.cli.text.Columns;
import dev.ralph.cli.text.SafeText;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A screen that shows as much as fits, or, once somebody scrolls, a part of everything; and texts
 * that are opened above it. Shown by one thread; keys come from others.
 */
public final class ScrolledScreen implements AutoCloseable {

  /** At the top; of the page as much as fits the window. */
  private static final int TOP = 0;

  /** What can be scrolled through, in rows no wider than asked, with nothing in them that acts. */
  public interface Text {

    /** Returns everything, however many rows that takes. */
    List<String> whole(int columns);
  }

  /** What is shown as long as no text is opened above it. */
  public interface Content extends Text {

    /** Returns what matters most, no more rows than fit. */
    List<String> fitting(Screen.Size size);
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
   * @param opened what is to be shown until somebody leaves it, or null
   */
  public record Reply(String said, @Nullable TypedLine line, @Nullable Text opened) {

    public static Reply said(String text) {
      return new Reply(text, null, null);
    }

    public static Reply ask(TypedLine line) {
      return new Reply("", line, null);
    }

    public static Reply open(Text text) {
      return new Reply("", null, text);
    }
  }

  private final Screen screen;
  private final Content content;
  private final Orders orders;
  private final Keys keys = new Keys();
  private final Style style;
  private final Runnable wake;
  private final Runnable quit;
  private final AtomicBoolean allOver = new AtomicBoolean(true);

  /** What is shown in place of the page, or null. */
  private @Nullable Text opened;

  /** From which row on it is to be shown; as far down as there are rows. */
  private int wanted = TOP;

  /** From which row on it was shown last. */
  private int from = TOP;

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

  /** Says something until the next key that scrolls, or until something else is said. */
  public void say(String text) {
    synchronized (this) {
      said = text;
    }
    wake.run();
  }

  /** Takes a byte; called by one thread. */
  private void typed(int b) {
    TypedLine open;
    synchronized (this) {
      open = line;
    }
    if (open != null) {
      Reply reply = open.take(b);
      if (reply != null) {
        take(reply);
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
      take(reply);
      wake.run();
    }
  }

  private synchronized void take(Reply reply) {
    said = reply.said();
    line = reply.line();
    if (reply.opened() != null) {
      open(reply.opened());
    }
  }

  private synchronized void open(@Nullable Text text) {
    opened = text;
    wanted = TOP;
    from = TOP;
  }

  private void key(Keys.Key key) {
    if (key == Keys.Key.QUIT && !isOpened()) {
      quit.run();
      return;
    }
    int page = Math.max(1, screen.size().rows() - 2);
    synchronized (this) {
      said = "";
      switch (key) {
        case UP -> wanted = from - 1;
        case DOWN -> wanted = from + 1;
        case PAGE_UP -> wanted = from - page;
        case PAGE_DOWN -> wanted = from + page;
        case BOTTOM -> wanted = Integer.MAX_VALUE;
        case TOP -> wanted = TOP;
        case QUIT -> open(null);
      }
    }
    wake.run();
  }

  /** Returns whether a text is shown in place of the page. */
  public synchronized boolean isOpened() {
    return opened != null;
  }

  /** Shows how things are now. */
  public void show() {
    Screen.Size size = screen.size();
    boolean all = allOver.getAndSet(false);
    List<String> rows = new ArrayList<>(rows(size));
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

  private List<String> rows(Screen.Size size) {
    Text text;
    int first;
    synchronized (this) {
      text = opened == null ? content : opened;
      first = wanted;
    }
    boolean isPage = text == content;
    if (isPage && first <= TOP) {
      return fitting(size);
    }
    List<String> whole = text.whole(size.columns());
    int room = Math.max(1, size.rows() - 1);
    first = Math.max(TOP, Math.min(first, whole.size() - room));
    if (isPage && first == TOP) {
      return fitting(size);
    }
    synchronized (this) {
      from = first;
    }
    int to = Math.min(whole.size(), first + room);
    List<String> rows = new ArrayList<>(whole.subList(first, to));
    while (rows.size() < room) {
      rows.add("");
    }
    String place = "rows " + (first + 1) + " to " + to + " of " + whole.size();
    String footer = place + "; g: top, q: " + (isPage ? "end" : "back");
    if (rows.size() < size.rows()) {
      rows.add(style.faint(Columns.cut(footer, size.columns())));
    }
    return rows;
  }

  private List<String> fitting(Screen.Size size) {
    synchronized (this) {
      from = TOP;
      wanted = TOP;
    }
    return content.fitting(size);
  }

  @Override
  public void close() {
    screen.close();
  }
}
