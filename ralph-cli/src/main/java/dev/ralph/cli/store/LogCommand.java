package dev.ralph.cli.store;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.text.Durations;
import dev.ralph.log.Damage;
import dev.ralph.log.DamagedException;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.Scru128;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** {@code ralph log}. */
public final class LogCommand implements Command {

  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("print the frames of the log, oldest first")
        .value("n", "name", "NAME", "show only frames of this session")
        .value("topic", "PATTERN", "show only this topic, or PREFIX.* for all topics below")
        .value("since", "WHEN", "show only frames after a frame (id), time or age (1h)")
        .value(
            "grep", "TEXT", "show only frames with this text in metadata or content, ignoring case")
        .value("limit", "N", "show only the newest N frames")
        .flag("follow", "continue with new frames")
        .value("at", "ID", "show only frames up to this frame")
        .store();
  }

  @Override
  public void run(Invocation call) {
    TopicFilter filter = filter(call);
    int limit = call.arguments().number("limit", -1, 0, Integer.MAX_VALUE);
    boolean follow = call.arguments().has("follow");
    String at = call.arguments().text("at");
    if (follow && at != null) {
      throw new UsageException("--follow shows new frames, --at old frames; give only one");
    }
    FrameLog frames = call.store().frames();
    Selection selection = Selection.of(call);
    Query query = selection.narrow(Query.of(filter));
    if (at != null) {
      query = query.until(call.store().frame(at).position());
    }
    // The follower starts where the read ended, so each frame is shown exactly once.
    Position end =
        limit < 0
            ? all(call, frames, query, selection)
            : newest(call, frames, query, selection, limit);
    if (follow) {
      call.environment().out().flush();
      follow(call, frames, Query.of(filter).after(end), selection);
    }
  }

  /** The selection of {@code --since} and {@code --grep}. */
  private record Selection(
      @Nullable Position after, @Nullable Instant since, @Nullable Pattern text) {

    static Selection of(Invocation call) {
      String grep = call.arguments().text("grep");
      Pattern text =
          grep == null
              ? null
              : Pattern.compile(
                  grep, Pattern.LITERAL | Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE);
      String when = call.arguments().text("since");
      if (when == null) {
        return new Selection(null, null, text);
      }
      Duration ago = Durations.parse(when);
      if (ago != null) {
        return new Selection(null, Instant.now().minus(ago), text);
      }
      return Invocation.isTime(when)
          ? new Selection(null, Invocation.time("--since", when), text)
          : new Selection(after(call, when), null, text);
    }

    /**
     * Returns the position of a frame. If a compaction may have removed the frame, returns the
     * position before the first frame with a larger id.
     */
    private static Position after(Invocation call, String id) {
      FrameLog log = call.store().frames();
      boolean mayBeRemoved =
          isId(id) && log.info().capabilities().contains(StoreInfo.Capability.COMPACTS);
      Frame found = mayBeRemoved ? log.get(id).orElse(null) : call.store().frame(id);
      if (found != null) {
        return found.position();
      }
      Position before = Position.START;
      try (FrameCursor cursor = log.read(Query.of(TopicFilter.all()))) {
        for (Frame frame = cursor.next();
            frame != null && frame.id().compareTo(id) < 0;
            frame = cursor.next()) {
          before = frame.position();
        }
      }
      return before;
    }

    private static boolean isId(String text) {
      try {
        Scru128.timestampMillis(text);
        return true;
      } catch (RalphException e) {
        return false;
      }
    }

    Query narrow(Query query) {
      return after == null ? query : query.after(after);
    }

    /**
     * Compares the time of each frame, because times may decrease in the log: imported frames keep
     * their times.
     */
    boolean includes(Frame frame) {
      if (since != null && frame.time().isBefore(since)) {
        return false;
      }
      return text == null || text.matcher(frame.meta().json()).find() || isInContent(frame, text);
    }

    /** Includes a frame with lost content, because the content may have matched. */
    private static boolean isInContent(Frame frame, Pattern text) {
      try {
        return text.matcher(frame.content()).find();
      } catch (DamagedException e) {
        return true;
      }
    }
  }

  /** Returns the selection of {@code --name} or {@code --topic}, by default all topics. */
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

  private static Position all(Invocation call, FrameLog frames, Query query, Selection selection) {
    try (FrameCursor cursor = frames.read(query)) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        if (selection.includes(frame)) {
          show(call, frame);
        }
      }
      return cursor.position();
    }
  }

  private static Position newest(
      Invocation call, FrameLog frames, Query query, Selection selection, int limit) {
    Position end = frames.last(TopicFilter.all()).map(Frame::position).orElse(Position.START);
    List<Frame> newest = new ArrayList<>();
    Query until = query.until() == null ? query.until(end) : query;
    try (FrameCursor cursor = frames.read(until.backward())) {
      while (newest.size() < limit) {
        Frame frame = cursor.next();
        if (frame == null) {
          break;
        }
        if (selection.includes(frame)) {
          newest.add(frame);
        }
      }
    }
    for (int i = newest.size() - 1; i >= 0; i--) {
      show(call, newest.get(i));
    }
    return end;
  }

  private static void follow(Invocation call, FrameLog frames, Query query, Selection selection) {
    try (Follower follower = frames.follow(query)) {
      while (true) {
        Frame frame = null;
        try {
          frame = follower.poll(POLL_INTERVAL);
        } catch (RalphException e) {
          StoreAccess.waitOut(e);
        }
        if (frame != null && selection.includes(frame)) {
          show(call, frame);
          call.environment().out().flush();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Prints a frame, or warns about lost content. */
  private static void show(Invocation call, Frame frame) {
    String shown;
    try {
      shown = call.json() ? FrameForm.json(frame) : FrameForm.line(frame, call.style());
    } catch (DamagedException e) {
      call.warn("not shown: " + Damage.ofContent(frame, e));
      return;
    }
    call.print(shown);
  }
}
