package dev.ralph.core.internal.iteration;

import dev.ralph.Iteration.Status;
import dev.ralph.Usage;
import dev.ralph.core.internal.reference.Numbering;
import dev.ralph.core.internal.view.JsonCodec;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import javax.annotation.Nullable;

/**
 * What the frames of a session's iteration topic mean:
 *
 * <pre>
 * {action:start, n, timestamp, host, pid, started, boot?, ticks?, pid_ns?}
 * {action:usage, n, usage}       what it has used so far; counts if its end says nothing of usage
 * {action:complete, n, status, timestamp, summary?,
 *     usage?{input_tokens, cached_tokens?, output_tokens, cost_usd?}}
 * </pre>
 *
 * <p>When an iteration began and ended is when these frames were appended.
 */
public final class IterationFold implements Fold<IterationFold.State, Iterations> {

  /** Iterations in the order they began, while their frames are applied. */
  static final class State {
    final List<IterationEntry> entries = new ArrayList<>();
    final Numbering numbering;

    State(int highestNumber) {
      this.numbering = new Numbering(highestNumber);
    }
  }

  @Override
  public String name() {
    return "ralph.iterations";
  }

  @Override
  public int version() {
    return 2;
  }

  @Override
  public State initial() {
    return new State(0);
  }

  @Override
  public Iterations result(State state) {
    return new Iterations(List.copyOf(state.entries), state.numbering.highest());
  }

  @Override
  public State apply(State state, Frame frame) {
    Meta meta = frame.meta();
    String action = meta.string("action");
    if ("start".equals(action)) {
      int number = state.numbering.take(frame);
      state.entries.add(
          new IterationEntry(
              frame.id(),
              number,
              meta.integer("n").orElse(number),
              frame.time(),
              Status.RUNNING,
              null,
              null,
              Usage.NONE));
    } else if ("usage".equals(action)) {
      use(state.entries, meta);
    } else if ("complete".equals(action)) {
      complete(state.entries, frame, meta);
    }
    return state;
  }

  private static void complete(List<IterationEntry> entries, Frame frame, Meta meta) {
    OptionalLong number = meta.integer("n");
    for (int i = entries.size() - 1; i >= 0; i--) {
      IterationEntry entry = entries.get(i);
      if (entry.status() == Status.RUNNING
          && (number.isEmpty() || number.getAsLong() == entry.ownNumber)) {
        Status status = Status.of(meta.string("status"));
        entries.set(
            i,
            entry.ended(
                status == Status.RUNNING ? Status.FAILURE : status,
                frame.time(),
                meta.string("summary"),
                meta.has("usage") ? usage(meta.object("usage")) : entry.usage()));
        return;
      }
    }
  }

  private static void use(List<IterationEntry> entries, Meta meta) {
    OptionalLong number = meta.integer("n");
    for (int i = entries.size() - 1; i >= 0; i--) {
      IterationEntry entry = entries.get(i);
      if (number.isPresent() && number.getAsLong() == entry.ownNumber) {
        if (entry.status() == Status.RUNNING) {
          entries.set(i, entry.used(usage(meta.object("usage"))));
        }
        return;
      }
    }
  }

  private static Usage usage(@Nullable Meta usage) {
    return usage == null ? Usage.NONE : Usage.of(usage);
  }

  @Override
  public Optional<Codec<State>> codec() {
    return Optional.of(CODEC);
  }

  private static final Codec<State> CODEC =
      new JsonCodec<>() {
        @Override
        protected void write(State state, Output out) throws IOException {
          out.number(state.numbering.highest());
          out.number(state.entries.size());
          for (IterationEntry entry : state.entries) {
            out.text(entry.startId);
            out.number(entry.number());
            out.number(entry.ownNumber);
            out.number(entry.started().toEpochMilli());
            out.text(entry.status().word());
            out.number(entry.ended == null ? Long.MIN_VALUE : entry.ended.toEpochMilli());
            out.text(entry.summary());
            out.text(entry.usage().json().json());
          }
        }

        @Override
        protected State read(Input in) throws IOException {
          State state = new State(in.count());
          for (int left = in.count(); left > 0; left--) {
            String startId = in.text();
            int number = in.integer();
            long ownNumber = in.number();
            Instant started = Instant.ofEpochMilli(in.number());
            Status status = Status.of(in.text());
            long ended = in.number();
            state.entries.add(
                new IterationEntry(
                    startId,
                    number,
                    ownNumber,
                    started,
                    status,
                    ended == Long.MIN_VALUE ? null : Instant.ofEpochMilli(ended),
                    in.textOrNull(),
                    Usage.of(Meta.stored(in.text()))));
          }
          return state;
        }
      };
}
