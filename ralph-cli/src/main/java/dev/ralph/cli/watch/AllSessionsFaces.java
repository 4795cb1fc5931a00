package dev.ralph.cli.watch;

import dev.ralph.Session;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.cli.session.SessionSummary;
import dev.ralph.cli.terminal.Output;
import dev.ralph.cli.terminal.Screen;
import dev.ralph.cli.terminal.ScrolledScreen;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.TextWidth;
import dev.ralph.log.Frame;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The views of all sessions of a store, with a line per session. */
final class AllSessionsFaces {

  /** The interval for updates of ages and of the liveness of loops. */
  private static final Duration AT_THE_LATEST = Duration.ofSeconds(5);

  /**
   * The minimum interval between updates, because many sessions change faster than a person reads.
   */
  private static final Duration GATHERING = Duration.ofMillis(250);

  private AllSessionsFaces() {}

  /** The base of the views, which keeps the sessions in order to read only new frames. */
  private abstract static class Base implements WatchFace {

    private final StoreAccess store;
    private final Map<String, Session> known = new HashMap<>();

    Base(StoreAccess store) {
      this.store = store;
    }

    List<SessionSummary> summaries() {
      return SessionSummary.all(store, known);
    }

    @Override
    public void frame(Frame frame) {
      // The sessions' own views read the frame.
    }

    @Override
    public Duration staysTrueFor() {
      return AT_THE_LATEST;
    }

    @Override
    public Duration gathers() {
      return GATHERING;
    }
  }

  /** A page on a terminal. */
  static final class Page extends Base implements ScrolledScreen.Content {

    private final Style style;
    private final String store;
    private final ScrolledScreen screen;
    private final Clock clock = Clock.systemUTC();

    Page(Invocation call, StoreAccess store, Runnable wake, Runnable quit) {
      super(store);
      this.style = call.style();
      this.store = call.stores().address().location();
      this.screen =
          new ScrolledScreen(call.environment().out(), style, this, key -> null, wake, quit);
    }

    @Override
    public List<String> fitting(Screen.Size size) {
      List<String> whole = whole(size.columns());
      if (whole.size() < size.rows()) {
        return whole;
      }
      List<String> rows = new ArrayList<>(whole.subList(0, Math.max(0, size.rows() - 1)));
      String more = whole.size() - rows.size() + " more rows: arrow keys, PgDn; q: end";
      rows.add(style.faint(TextWidth.cut(more, size.columns())));
      return rows;
    }

    @Override
    public List<String> whole(int columns) {
      List<SessionSummary> sessions = summaries();
      List<String> rows = new ArrayList<>();
      String count = sessions.size() + (sessions.size() == 1 ? " session" : " sessions");
      String name = sessions.size() == 1 ? sessions.get(0).name() : "NAME";
      String heading = count + " in " + store + "; ralph watch -n " + name + " shows a session";
      rows.add(style.heading(TextWidth.cut(heading, columns)));
      for (String line : SessionSummary.lines(sessions, Style.plain(), clock.instant())) {
        rows.add(TextWidth.cut("  " + line, columns));
      }
      return rows;
    }

    @Override
    public void show() {
      screen.show();
    }

    @Override
    public void close() {
      screen.close();
    }
  }

  /** Prints a line per session, and another line when a session changes. */
  static final class Lines extends Base {

    private final Output out;
    private final Style style;
    private final Clock clock = Clock.systemUTC();
    private final Map<String, String> shown = new HashMap<>();

    Lines(Invocation call, StoreAccess store) {
      super(store);
      this.out = call.environment().out();
      this.style = call.style();
    }

    @Override
    public void show() {
      List<SessionSummary> changed = new ArrayList<>();
      for (SessionSummary each : summaries()) {
        String state = each.withoutTime().toString();
        if (!state.equals(shown.put(each.name(), state))) {
          changed.add(each);
        }
      }
      SessionSummary.lines(changed, style, clock.instant()).forEach(out::line);
      out.flush();
    }
  }

  /**
   * Prints the answer of {@code sessions --json} after each change, except changes of times only.
   */
  static final class Objects extends Base {

    private final Output out;
    private List<SessionSummary> shown = List.of();
    private boolean first = true;

    Objects(Invocation call, StoreAccess store) {
      super(store);
      this.out = call.environment().out();
    }

    @Override
    public void show() {
      List<SessionSummary> now = summaries();
      List<SessionSummary> timeless = now.stream().map(SessionSummary::withoutTime).toList();
      if (first || !timeless.equals(shown)) {
        first = false;
        shown = timeless;
        out.now(SessionSummary.json(now) + "\n");
      }
    }
  }
}
