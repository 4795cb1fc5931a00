package dev.ralph.cli.watch;

import dev.ralph.Iteration;
import dev.ralph.Session;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.cli.call.Syntax;
import dev.ralph.cli.text.Suggestion;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.FrameLog;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * {@code ralph watch}: shows a session, or all, as they go on. A follower of the frames says that
 * there is something new, and the sessions' own views say what.
 */
public final class WatchCommand implements Command {

  /** How often it is looked for a store that is not there yet. */
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  /** How many frames of the past are looked through for the agent's last lines. */
  private static final int MOST_LOOKED_BACK = 200;

  @Override
  public Syntax syntax() {
    return Syntax.of("show a session as it goes on, or without -n all sessions, a line each")
        .session()
        .store();
  }

  @Override
  public void run(Invocation call) {
    try {
      StoreAccess store = awaitStore(call);
      if (store == null) {
        return;
      }
      if (!call.namesASession()) {
        watch(call, store, null);
      } else if (awaitSession(call, store, call.sessionName())) {
        watch(call, store, store.session(call.sessionName()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- what is not there yet

  /** Returns the store once it is there, or null if somebody left before. */
  private static @Nullable StoreAccess awaitStore(Invocation call) throws InterruptedException {
    StoreAccess store = storeIfThere(call);
    if (store != null) {
      return store;
    }
    Semaphore woken = new Semaphore(0);
    String missing = "no store at " + call.storeAddress().location() + " yet";
    try (NothingToWatch absence = new NothingToWatch(call, missing, woken::release)) {
      while (store == null && absence.show()) {
        woken.tryAcquire(BETWEEN_LOOKS.toNanos(), TimeUnit.NANOSECONDS);
        store = storeIfThere(call);
      }
      return store;
    }
  }

  private static @Nullable StoreAccess storeIfThere(Invocation call) {
    try {
      return call.store();
    } catch (NotFoundException e) {
      return null;
    }
  }

  /**
   * Waits until the session has begun; returns false if somebody left before.
   *
   * @throws RalphException NOT_FOUND if it has not, and another has a name so near that this one is
   *     most likely a slip
   */
  private static boolean awaitSession(Invocation call, StoreAccess store, String name)
      throws InterruptedException {
    try (Follower follower = store.frames().follow(Query.of(filter(name)))) {
      if (store.hasSession(name)) {
        return true;
      }
      if (Suggestion.nearest(name, store.sessions()) != null) {
        call.requireBegun(name);
      }
      String missing = "no session " + name + " in " + call.storeAddress().location() + " yet";
      try (NothingToWatch absence = new NothingToWatch(call, missing, follower::wakeup)) {
        while (absence.show()) {
          if (follower.poll(Duration.ofHours(1)) != null) {
            return true;
          }
        }
      }
      return false;
    }
  }

  // ---- what is there

  private static TopicFilter filter(String session) {
    return TopicFilter.parse("ralph." + session + ".*");
  }

  /** Shows a session, or all if it is null, until somebody quits. */
  private static void watch(Invocation call, StoreAccess store, @Nullable Session session)
      throws InterruptedException {
    FrameLog frames = store.frames();
    TopicFilter filter = session == null ? TopicFilter.parse("ralph.*") : filter(session.name());
    Position end = frames.last(filter).map(Frame::position).orElse(Position.START);
    AtomicBoolean quit = new AtomicBoolean();
    try (Follower follower = frames.follow(Query.of(filter).after(end))) {
      Runnable leave =
          () -> {
            quit.set(true);
            follower.wakeup();
          };
      try (WatchFace face =
          session == null
              ? face(call, store, follower::wakeup, leave)
              : face(call, session, agentLines(frames, session, end), follower::wakeup, leave)) {
        face.show();
        while (!quit.get()) {
          try {
            take(follower, face);
            face.show();
          } catch (RalphException e) {
            StoreAccess.waitOut(e);
          }
        }
      }
    }
  }

  /** Waits for a frame, and takes those that follow soon. */
  private static void take(Follower follower, WatchFace face) throws InterruptedException {
    Duration gathers = face.gathers();
    Frame frame = follower.poll(face.staysTrueFor());
    long until = System.nanoTime() + gathers.toNanos();
    while (frame != null) {
      face.frame(frame);
      long left = until - System.nanoTime();
      frame = left < 0 && !gathers.isZero() ? null : follower.poll(Duration.ofNanos(left));
    }
  }

  private static WatchFace face(Invocation call, StoreAccess store, Runnable wake, Runnable quit) {
    if (call.json()) {
      return new AllSessionsFaces.Objects(call, store);
    }
    return call.environment().canDraw()
        ? new AllSessionsFaces.Page(call, store, wake, quit)
        : new AllSessionsFaces.Lines(call, store);
  }

  private static WatchFace face(
      Invocation call, Session session, AgentLines agent, Runnable wake, Runnable quit) {
    if (call.json()) {
      return new SessionViews.Objects(call, session);
    }
    return call.environment().canDraw()
        ? new SessionViews.Page(call, session, agent, wake, quit)
        : new SessionViews.Lines(call, session);
  }

  /** Returns what the agent printed last in the newest iteration. */
  private static AgentLines agentLines(FrameLog frames, Session session, Position end) {
    Topic scope = Topic.of("ralph." + session.name());
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
    for (Iteration running : session.iterations().list()) {
      if (running.agent() > 0 && running.status() == Iteration.Status.RUNNING) {
        lines.begin(running.number(), running.agent());
      }
    }
    newest.forEach(lines::add);
    return lines;
  }
}
