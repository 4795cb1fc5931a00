package dev.ralph.cli.watch;

import dev.ralph.Control;
import dev.ralph.Session;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.cli.session.ChangeCount;
import dev.ralph.cli.session.StatusCommand;
import dev.ralph.cli.terminal.Output;
import dev.ralph.cli.terminal.Screen;
import dev.ralph.cli.terminal.ScrolledScreen;
import dev.ralph.cli.terminal.Style;
import dev.ralph.core.internal.text.StateWord;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.openspec.internal.ChangeSession;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The views of a single session. */
final class SessionViews {

  /** The interval at which the view of a running loop updates its time and its liveness. */
  private static final Duration WHILE_RUNNING = Duration.ofSeconds(1);

  /** The delay before the next read of an outdated iteration. */
  private static final Duration SOON = Duration.ofMillis(250);

  /** Without a running loop only frames change the view. */
  private static final Duration WHILE_IDLE = Duration.ofHours(1);

  /** The minimum interval between pages, even if an agent prints a lot. */
  static final Duration BETWEEN_PAGES = Duration.ofMillis(50);

  private SessionViews() {}

  private static Duration staysTrueFor(Session session) {
    boolean runs = session.control().running().filter(Control.RunningLoop::live).isPresent();
    return runs ? WHILE_RUNNING : WHILE_IDLE;
  }

  /** A page on a terminal. */
  static final class Page implements WatchFace, ScrolledScreen.Content {

    private final Session session;
    private final AgentLines agent;
    private final Style style;
    private final SessionOrders orders;
    private final ScrolledScreen screen;
    private final @Nullable ChangeSession change;
    private final Clock clock = Clock.systemUTC();

    /**
     * @param watching woken if a source other than a frame changes the page
     * @param nextPrompt returns the prompt of the next iteration
     */
    Page(
        Invocation call,
        StoreAccess store,
        Session session,
        WatchLoop watching,
        Supplier<String> nextPrompt) {
      this.session = session;
      this.agent = AgentLines.of(store.frames(), session, watching.end());
      this.style = call.style();
      this.change = ChangeCount.work(call, store, session);
      this.orders = new SessionOrders(session, nextPrompt);
      this.screen =
          new ScrolledScreen(
              call.environment().out(), style, this, orders, watching::wake, watching::leave);
    }

    /** Shows a text in the last row. */
    void showMessage(String text) {
      screen.showMessage(text);
    }

    @Override
    public void frame(Frame frame) {
      String topic = frame.topic().name();
      if (topic.endsWith(".output")) {
        agent.add(frame);
      } else if (topic.endsWith(".iteration") && "start".equals(frame.meta().string("action"))) {
        Meta start = frame.meta();
        agent.begin(start.integer("n").orElse(0), start.integer("agent").orElse(0));
      }
      orders.changed();
    }

    @Override
    public List<String> fitting(Screen.Size size) {
      return WatchPage.of(session, ChangeCount.of(change), agent, clock.instant(), size, style);
    }

    @Override
    public List<String> whole(int columns) {
      return WatchPage.whole(
          session, ChangeCount.of(change), agent, clock.instant(), columns, style);
    }

    @Override
    public void show() {
      screen.show();
    }

    @Override
    public Duration staysTrueFor() {
      return screen.isOpened() && orders.isBehind() ? SOON : SessionViews.staysTrueFor(session);
    }

    @Override
    public Duration gathers() {
      return BETWEEN_PAGES;
    }

    @Override
    public void close() {
      screen.close();
    }
  }

  /** Prints a line per change into a pipe. */
  static final class Lines implements WatchFace {

    private final Output out;
    private final Style style;
    private final Session session;
    private final WatchLines lines;
    private String state = "";

    Lines(Invocation call, Session session) {
      this.out = call.environment().out();
      this.style = call.style();
      this.session = session;
      this.lines = new WatchLines(session, style);
    }

    @Override
    public void frame(Frame frame) {
      for (String line : lines.of(frame)) {
        out.line(line);
      }
    }

    @Override
    public void show() {
      Control control = session.control();
      String now = StateWord.of(control, control.running().orElse(null));
      if (state.isEmpty()) {
        out.line(StatusCommand.text(session, style));
        session.questions().open().forEach(question -> out.line(lines.asked(question)));
      } else if (!state.equals(now)) {
        out.line(style.heading(session.name()) + ": " + now);
      }
      state = now;
      out.flush();
    }

    @Override
    public Duration staysTrueFor() {
      return SessionViews.staysTrueFor(session);
    }
  }

  /** Prints the answer of {@code status --json} after each change. */
  static final class Objects implements WatchFace {

    private final Output out;
    private final Session session;
    private String shown = "";

    Objects(Invocation call, Session session) {
      this.out = call.environment().out();
      this.session = session;
    }

    @Override
    public void frame(Frame frame) {
      // Nothing to do: the views of the session read the frame on the next query.
    }

    @Override
    public void show() {
      String now = StatusCommand.json(session);
      if (!now.equals(shown)) {
        shown = now;
        out.now(now + "\n");
      }
    }

    @Override
    public Duration staysTrueFor() {
      return SessionViews.staysTrueFor(session);
    }
  }
}
