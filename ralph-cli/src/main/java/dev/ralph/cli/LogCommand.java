package dev.ralph.cli;

import dev.ralph.Damage;
import dev.ralph.Frame;
import dev.ralph.Position;
import dev.ralph.RalphException;
import dev.ralph.TopicFilter;
import dev.ralph.spi.Follower;
import dev.ralph.spi.FrameCursor;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Query;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** {@code ralph log}. */
final class LogCommand implements Command {

  private static final Duration LOOK_UP = Duration.ofSeconds(1);

  @Override
  public Syntax syntax() {
    return Syntax.of("the frames themselves, oldest first")
        .value("n", "name", "NAME", "only those of that session")
        .value("topic", "PATTERN", "only that topic, or PREFIX.* for all below")
        .value("limit", "N", "only the newest N")
        .flag("follow", "go on with those that come")
        .value("at", "ID", "only those up to that frame")
        .store();
  }

  @Override
  public int run(Invocation call) {
    TopicFilter filter = filter(call);
    int limit = call.arguments().number("limit", -1, 0, Integer.MAX_VALUE);
    boolean follow = call.arguments().has("follow");
    String at = call.arguments().text("at");
    if (follow && at != null) {
      throw new UsageException("--follow looks ahead and --at back; give one of them");
    }
    FrameStore frames = call.store().frames();
    Query query = Query.of(filter);
    if (at != null) {
      query = query.until(call.store().frame(at).position());
    }
    // A follower goes on from where the reading ended, so that no frame is missed or shown twice.
    Position end = limit < 0 ? all(call, frames, query) : newest(call, frames, query, limit);
    if (follow) {
      call.environment().out().flush();
      follow(call, frames, Query.of(filter).after(end));
    }
    return ExitCode.DONE;
  }

  /** Returns what {@code --name} or {@code --topic} selects, or all. */
  static TopicFilter filter(Invocation call) {
    String pattern = call.arguments().text("topic");
    boolean named = call.arguments().has("name");
    if (pattern != null && named) {
      throw new UsageException("give --name or --topic, not both");
    }
    if (pattern == null && !named) {
      return TopicFilter.all();
    }
    if (named) {
      call.requireBegun(call.sessionName());
    }
    try {
      return TopicFilter.parse(pattern == null ? "ralph." + call.sessionName() + ".*" : pattern);
    } catch (RalphException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private static Position all(Invocation call, FrameStore frames, Query query) {
    try (FrameCursor cursor = frames.read(query)) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        show(call, frame);
      }
      return cursor.position();
    }
  }

  private static Position newest(Invocation call, FrameStore frames, Query query, int limit) {
    Position end = frames.last(TopicFilter.all()).map(Frame::position).orElse(Position.START);
    List<Frame> newest = new ArrayList<>();
    Query until = query.until() == null ? query.until(end) : query;
    try (FrameCursor cursor = frames.read(until.backward().limit(limit))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        newest.add(frame);
      }
    }
    for (int i = newest.size() - 1; i >= 0; i--) {
      show(call, newest.get(i));
    }
    return end;
  }

  private static void follow(Invocation call, FrameStore frames, Query query) {
    try (Follower follower = frames.follow(query)) {
      while (true) {
        Frame frame = follower.poll(LOOK_UP);
        if (frame != null) {
          show(call, frame);
          call.environment().out().flush();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Shows a frame, or says that its content is lost. */
  private static void show(Invocation call, Frame frame) {
    String shown;
    try {
      shown = call.json() ? FrameForm.json(frame) : FrameForm.line(frame, call.style());
    } catch (RalphException e) {
      if (e.code() != RalphException.Code.DAMAGED) {
        throw e;
      }
      call.warn("not shown: " + Damage.ofContent(frame, e));
      return;
    }
    call.print(shown);
  }
}
