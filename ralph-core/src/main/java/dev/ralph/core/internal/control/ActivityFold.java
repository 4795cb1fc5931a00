package dev.ralph.core.internal.control;

import dev.ralph.Control.Activity;
import dev.ralph.domain.StateCodec;
import dev.ralph.log.Draft;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Folds the frames of a session's activity topic:
 *
 * <pre>
 * {action:begin, run, agent?, kind, about?, refs[]?, ago?, millis?}
 *               ago: milliseconds from the beginning to the frame; millis: the maximum duration
 * {action:end, run, agent?}
 * </pre>
 *
 * <p>No decision depends on activities. Activities without an end are ignored after the end of
 * their run in the control topic.
 */
public final class ActivityFold implements Fold<Activities, Activities> {

  /** The maximum duration: above all real durations, and small enough for time arithmetic. */
  private static final long LONGEST = Duration.ofDays(365).toMillis();

  private static final int LONGEST_TEXT = 2_000;
  private static final int MOST_REFS = 100;

  /** Returns the frame for the beginning of an activity. */
  static Draft begin(Topic topic, String run, Activity activity, Instant now) {
    Instant since = activity.since();
    Instant until = activity.until();
    return Draft.of(
        topic,
        Meta.of("action", "begin")
            .with("run", run)
            .with("agent", activity.agent() == 0 ? null : activity.agent())
            .with("kind", activity.kind().word())
            .with("about", activity.about())
            .with("refs", activity.refs().isEmpty() ? null : activity.refs())
            .with("ago", since.isBefore(now) ? Duration.between(since, now).toMillis() : null)
            .with("millis", until == null ? null : Duration.between(since, until).toMillis()));
  }

  /** Returns the frame for the end of an agent's activity. */
  static Draft end(Topic topic, String run, int agent) {
    return Draft.of(
        topic, Meta.of("action", "end").with("run", run).with("agent", agent == 0 ? null : agent));
  }

  @Override
  public String name() {
    return "ralph.activity";
  }

  @Override
  public int version() {
    return 1;
  }

  @Override
  public Activities initial() {
    return Activities.NONE;
  }

  @Override
  public Activities result(Activities state) {
    return state;
  }

  @Override
  public Activities apply(Activities state, Frame frame) {
    Meta meta = frame.meta();
    String action = meta.string("action");
    int agent = (int) within(meta, "agent", Integer.MAX_VALUE);
    if ("begin".equals(action)) {
      return state.with(meta.string("run"), agent, activity(frame, meta, agent));
    }
    return "end".equals(action) ? state.with(meta.string("run"), agent, null) : state;
  }

  /** Returns the activity of a frame; null for a kind of a newer version. */
  private static @Nullable Activity activity(Frame frame, Meta meta, int agent) {
    Activity.Kind kind = kind(meta.string("kind"));
    if (kind == null) {
      return null;
    }
    Instant since = frame.time().minusMillis(within(meta, "ago", LONGEST));
    String about = meta.string("about");
    List<String> refs = meta.strings("refs");
    return new Activity(
        agent,
        kind,
        since,
        meta.has("millis") ? since.plusMillis(within(meta, "millis", LONGEST)) : null,
        about == null || about.length() <= LONGEST_TEXT ? about : about.substring(0, LONGEST_TEXT),
        List.copyOf(refs.subList(0, Math.min(refs.size(), MOST_REFS))));
  }

  private static Activity.@Nullable Kind kind(@Nullable String word) {
    for (Activity.Kind kind : Activity.Kind.values()) {
      if (kind.word().equals(word)) {
        return kind;
      }
    }
    return null;
  }

  private static long within(Meta meta, String key, long most) {
    return Math.max(0, Math.min(most, meta.integer(key).orElse(0)));
  }

  @Override
  public Optional<Codec<Activities>> codec() {
    return Optional.of(CODEC);
  }

  private static final Codec<Activities> CODEC =
      new StateCodec<>() {
        @Override
        protected void write(Activities state, Output out) {
          out.text(state.run());
          out.number(state.byAgent().size());
          for (Activity each : state.byAgent().values()) {
            Instant until = each.until();
            out.number(each.agent());
            out.text(each.kind().word());
            out.number(each.since().toEpochMilli());
            out.number(until == null ? Long.MIN_VALUE : until.toEpochMilli());
            out.text(each.about());
            out.number(each.refs().size());
            each.refs().forEach(out::text);
          }
        }

        @Override
        protected Activities read(Input in) throws IOException {
          String run = in.textOrNull();
          List<Activity> all = new ArrayList<>();
          for (int left = in.count(); left > 0; left--) {
            all.add(activity(in));
          }
          return Activities.of(run, all);
        }

        private static Activity activity(Input in) throws IOException {
          int agent = in.integer();
          Activity.Kind kind = kind(in.text());
          if (kind == null) {
            throw new IOException("an activity of an unknown kind");
          }
          Instant since = Instant.ofEpochMilli(in.number());
          long until = in.number();
          String about = in.textOrNull();
          List<String> refs = new ArrayList<>();
          for (int left = in.count(); left > 0; left--) {
            refs.add(in.text());
          }
          return new Activity(
              agent,
              kind,
              since,
              until == Long.MIN_VALUE ? null : Instant.ofEpochMilli(until),
              about,
              List.copyOf(refs));
        }
      };
}
