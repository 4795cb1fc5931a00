package dev.ralph.cli.watch;

import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.terminal.Screen;
import dev.ralph.cli.terminal.ScrolledScreen;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.TextWidth;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Shows a missing store or session: a line, or a page on a terminal that can be left like any other
 * page.
 */
final class NothingToWatch implements ScrolledScreen.Content, AutoCloseable {

  private final String missing;
  private final Style style;
  private final AtomicBoolean left = new AtomicBoolean();
  private final @Nullable ScrolledScreen screen;

  /**
   * Shows the missing store or session.
   *
   * @param wake called from any thread if {@link #show} should be called
   */
  NothingToWatch(Invocation call, String missing, Runnable wake) {
    this.missing = missing + "; waiting";
    this.style = call.style();
    if (call.json() || !call.environment().canDraw()) {
      screen = null;
      call.warn(this.missing + ", press Ctrl+C to stop");
    } else {
      Runnable quit =
          () -> {
            left.set(true);
            wake.run();
          };
      screen = new ScrolledScreen(call.environment().out(), style, this, key -> null, wake, quit);
    }
  }

  /** Redraws the page, and returns false after a person has left the page. */
  boolean show() {
    if (screen != null && !left.get()) {
      screen.show();
    }
    return !left.get();
  }

  @Override
  public List<String> fitting(Screen.Size size) {
    List<String> rows = new ArrayList<>(whole(size.columns()));
    if (size.rows() > rows.size()) {
      rows.add(style.faint(TextWidth.cut("press q or Ctrl+C to stop", size.columns())));
    }
    return rows;
  }

  @Override
  public List<String> whole(int columns) {
    return List.of(TextWidth.cut(SafeText.line(missing), columns));
  }

  @Override
  public void close() {
    if (screen != null) {
      screen.close();
    }
  }
}
