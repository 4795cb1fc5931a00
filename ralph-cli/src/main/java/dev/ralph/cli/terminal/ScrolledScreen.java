package dev.ralph.cli.terminal;

import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.TextWidth;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A screen with a page that fits the window, or a scrolled part of the whole content. Texts can be
 * opened in place of the page. A single thread calls {@link #show}; keys arrive from other threads.
 */
public final class ScrolledScreen implements AutoCloseable {

  /** The first row, where the page shows a selection that fits the window. */
  private static final int TOP = 0;

  /** A scrollable text in rows of a given width, without active control characters. */
  public interface Text {

    /** Returns all rows of the text. */
    List<String> whole(int columns);
  }

  /** The content of the page, visible while no text is opened. */
  public interface Content extends Text {

    /** Returns the most important rows that fit a size. */
    List<String> fitting(Screen.Size size);
  }

  /** Executes keys that neither scroll nor end the view. */
  public interface Orders {

    /** Executes a key, and returns the reply, or null for an unknown key. May block. */
    @Nullable Reply pressed(char key);
  }

  /**
   * The reply to a key.
   *
   * @param message the message for the person; may be empty
   * @param line the line to type next, or null
   * @param opened the text to open, or null
   */
  public record Reply(String message, @Nullable TypedLine line, @Nullable Text opened) {

    public static Reply message(String text) {
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
  private final KeyDecoder keys = new KeyDecoder();
  private final Style style;
  private final Runnable wake;
  private final Runnable quit;
  private final AtomicBoolean allOver = new AtomicBoolean(true);

  /** The opened text in place of the page, or null. */
  private @Nullable Text opened;

  /** The requested first row, limited by the number of rows. */
  private int wanted = TOP;

  /** The index of the first row of the last drawing. */
  private int from = TOP;

  // the text of the last row, in place of the page's last row
  private String said = "";
  private @Nullable TypedLine line;

  /**
   * Opens the screen.
   *
   * @param orders executes other keys
   * @param wake called from any thread if {@link #show} should be called
   * @param quit called from any thread if a person wants to leave
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

  /** Shows a text until a key scrolls or another text replaces it. */
  public void showMessage(String text) {
    synchronized (this) {
      said = text;
    }
    wake.run();
  }

  /** Processes a byte; called by a single thread. */
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
    KeyDecoder.Key key = keys.take(b);
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
    said = reply.message();
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

  private void key(KeyDecoder.Key key) {
    if (key == KeyDecoder.Key.QUIT && !isOpened()) {
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

  /** Returns whether a text is opened in place of the page. */
  public synchronized boolean isOpened() {
    return opened != null;
  }

  /** Draws the present state. */
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

  /** Returns the text of the last row, of a long line the end; empty for the page's last row. */
  private synchronized String last(int columns) {
    if (line == null) {
      return TextWidth.cut(SafeText.line(said), columns);
    }
    String shown = SafeText.line(line.shown()) + "_";
    if (shown.length() > 2 * (columns + 1)) {
      shown = shown.substring(shown.offsetByCodePoints(shown.length(), -columns - 1));
    }
    while (!TextWidth.cut(shown, columns).equals(shown)) {
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
      rows.add(style.faint(TextWidth.cut(footer, size.columns())));
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
