package dev.ralph.cli;

import dev.ralph.Control;
import dev.ralph.Frame;
import dev.ralph.Position;
import dev.ralph.Session;
import dev.ralph.Topic;
import dev.ralph.TopicFilter;
import dev.ralph.spi.Follower;
import dev.ralph.spi.FrameCursor;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Query;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * {@code ralph watch}: shows a session as it goes on. A follower of its frames says that there is
 * something new, and the session's own views say what.
 */
final class WatchCommand implements Command {

  /** How often what a loop does is looked at without a frame: its clock, and whether it lives. */
  private static final Duration WHILE_RUNNING = Duration.ofSeconds(1);

  /** Nothing but a frame changes anything then. */
  private static final Duration WHILE_IDLE = Duration.ofHours(1);

  /** So many pages a second at most, however much an agent prints. */
  private static final Duration BETWEEN_PAGES = Duration.ofMillis(50);

  /** How many frames of the past are looked through for the agent's last lines. */
  private static final int MOST_LOOKED_BACK = 200;

  /** How changes are shown. */
  private interface Face extends AutoCloseable {

    /** Takes note of a frame. */
    void frame(Frame frame);

    /** Shows how things are now. */
    void show();

    @Override
    default void close() {}
  }

  @Override
  public Syntax syntax() {
    return Syntax.of(
            "show a session as it goes on: tasks, messages, questions, iterations, the agent's output")
        .session()
        .store();
  }

  @Override
  public int run(Invocation call) {
    Session session = call.session();
    FrameStore frames = call.store().frames();
    Topic scope = Topic.of("ralph." + session.name());
    TopicFilter all = TopicFilter.parse(scope.name() + ".*");
    Position end = frames.last(all).map(Frame::position).orElse(Position.START);
    AtomicBoolean quit = new AtomicBoolean();
    try (Follower follower = frames.follow(Query.of(all).after(end));
        Face face = face(call, session, agentLines(frames, scope, end), follower, quit)) {
      Duration gathering = face instanceof Page ? BETWEEN_PAGES : Duration.ZERO;
      face.show();
      while (!quit.get()) {
        Control.RunningLoop loop = session.control().running().orElse(null);
        Frame frame = follower.poll(loop != null && loop.live() ? WHILE_RUNNING : WHILE_IDLE);
        long until = System.nanoTime() + gathering.toNanos();
        while (frame != null) {
          face.frame(frame);
          long left = until - System.nanoTime();
          frame = left < 0 && face instanceof Page ? null : follower.poll(Duration.ofNanos(left));
        }
        face.show();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return ExitCode.DONE;
  }

  private static Face face(
      Invocation call, Session session, AgentLines agent, Follower follower, AtomicBoolean quit) {
    if (call.json()) {
      return new Objects(call, session);
    }
    if (!call.environment().canDraw()) {
      return new Lines(call, session);
    }
    return new Page(call, session, agent, follower, quit);
  }

  /** Returns what the agent printed last in the newest iteration. */
  private static AgentLines agentLines(FrameStore frames, Topic scope, Position end) {
    Topic iteration = scope.child("iteration");
    Query query = Query.of(TopicFilter.of(scope.child("output"), iteration)).until(end).backward();
    List<Frame> newest = new ArrayList<>();
    try (FrameCursor cursor = frames.read(query.limit(MOST_LOOKED_BACK))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        boolean isIteration = frame.topic().equals(iteration);
        if (isIteration && "start".equals(frame.meta().string("action"))) {
          break;
        }
        if (!isIteration) {
          newest.add(0, frame);
        }
      }
    }
    AgentLines lines = new AgentLines();
    newest.forEach(lines::add);
    return lines;
  }

  // ---- a person at a terminal

  private static final class Page implements Face {

    private final Session session;
    private final AgentLines agent;
    private final Style style;
    private final Screen screen;
    private final Clock clock = Clock.systemUTC();
    private final AtomicBoolean resized = new AtomicBoolean(true);

    Page(
        Invocation call, Session session, AgentLines agent, Follower follower, AtomicBoolean quit) {
      this.session = session;
      this.agent = agent;
      this.style = call.style();
      this.screen =
          Screen.open(
              call.environment().out(),
              () -> {
                resized.set(true);
                follower.wakeup();
              },
              () -> {
                quit.set(true);
                follower.wakeup();
              });
    }

    @Override
    public void frame(Frame frame) {
      String topic = frame.topic().name();
      if (topic.endsWith(".output")) {
        agent.add(frame);
      } else if (topic.endsWith(".iteration") && "start".equals(frame.meta().string("action"))) {
        agent.begin(frame.meta().integer("n").orElse(0));
      }
    }

    @Override
    public void show() {
      boolean anew = resized.getAndSet(false);
      screen.show(WatchPage.of(session, agent, clock.instant(), screen.size(), style), anew);
    }

    @Override
    public void close() {
      screen.close();
    }
  }

  // ---- a pipe

  /** A line for each change. */
  private static final class Lines implements Face {

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
      String now = StatusCommand.state(control, control.running().orElse(null));
      if (state.isEmpty()) {
        out.line(StatusCommand.text(session, style));
        session.questions().open().forEach(question -> out.line(lines.asked(question)));
      } else if (!state.equals(now)) {
        out.line(style.heading(session.name()) + ": " + now);
      }
      state = now;
      out.flush();
    }
  }

  /** What {@code status --json} answers, whenever that changes. */
  private static final class Objects implements Face {

    private final Output out;
    private final Session session;
    private String shown = "";

    Objects(Invocation call, Session session) {
      this.out = call.environment().out();
      this.session = session;
    }

    @Override
    public void frame(Frame frame) {
      // The session's views have it.
    }

    @Override
    public void show() {
      String now = StatusCommand.json(session);
      if (!now.equals(shown)) {
        shown = now;
        out.now(now + "\n");
      }
    }
  }
}
