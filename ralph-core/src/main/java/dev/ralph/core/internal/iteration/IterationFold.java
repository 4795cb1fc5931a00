package dev.ralph.core.internal.iteration;

import dev.ralph.Iteration.Role;
import dev.ralph.Iteration.Status;
import dev.ralph.Usage;
import dev.ralph.domain.NumberedState;
import dev.ralph.domain.StateCodec.Input;
import dev.ralph.domain.StateCodec.Output;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Folds the frames of a session's iteration topic:
 *
 * <pre>
 * {action:start, n, role?, agent?, task?, timestamp, host, pid, started, boot?, ticks?, pid_ns?}
 *                                agent: the number among several; task: the id of the agent's task
 * {action:usage, n, usage}       the usage so far, for an end without usage
 * {action:complete, n, status, timestamp, summary?,
 *     usage?{input_tokens?, cached_tokens?, output_tokens?, cost_usd?, estimated?, partial?}}
 * {action:returned, n, task?, reason}  the completed task was reopened; without a task: the
 *                                completion of the session was refused; reason: one line
 * {action:numbered, n}           a frame of that iteration was erased
 * </pre>
 *
 * <p>The times of these frames are the start and the end of the iteration.
 */
public final class IterationFold implements Fold<NumberedState<IterationEntry>, Iterations> {

  @Override
  public String name() {
    return "ralph.iterations";
  }

  @Override
  public int version() {
    return 6;
  }

  @Override
  public NumberedState<IterationEntry> initial() {
    return new NumberedState<>();
  }

  @Override
  public Iterations result(NumberedState<IterationEntry> state) {
    return new Iterations(state);
  }

  @Override
  public NumberedState<IterationEntry> apply(NumberedState<IterationEntry> state, Frame frame) {
    Meta meta = frame.meta();
    String action = meta.string("action");
    if ("start".equals(action)) {
      int number = state.takeNumber(frame);
      state.add(
          new IterationEntry(
              frame.id(),
              number,
              meta.integer("n").orElse(number),
              Role.of(meta.string("role")),
              agent(meta),
              meta.string("task"),
              frame.time(),
              Status.RUNNING,
              null,
              0,
              null,
              Usage.NONE,
              null));
    } else if ("returned".equals(action)) {
      returned(state, meta);
    } else if ("usage".equals(action)) {
      use(state, meta);
    } else if ("complete".equals(action)) {
      complete(state, frame, meta);
    } else {
      state.keepNumber(frame);
    }
    return state;
  }

  private static int agent(Meta meta) {
    return (int) Math.max(0, Math.min(Integer.MAX_VALUE, meta.integer("agent").orElse(0)));
  }

  private static void complete(NumberedState<IterationEntry> state, Frame frame, Meta meta) {
    OptionalLong number = meta.integer("n");
    for (int i = state.size() - 1; i >= 0; i--) {
      IterationEntry entry = state.get(i);
      if (entry.status() == Status.RUNNING
          && (number.isEmpty() || number.getAsLong() == entry.ownNumber())) {
        Status status = Status.of(meta.string("status"));
        state.set(
            i,
            entry.ended(
                status == Status.RUNNING ? Status.FAILURE : status,
                frame.time(),
                state.get(state.size() - 1).number(),
                meta.string("summary"),
                meta.has("usage") ? usage(meta.object("usage")) : entry.usage()));
        return;
      }
    }
  }

  private static void use(NumberedState<IterationEntry> state, Meta meta) {
    OptionalLong number = meta.integer("n");
    for (int i = state.size() - 1; i >= 0; i--) {
      IterationEntry entry = state.get(i);
      if (number.isPresent() && number.getAsLong() == entry.ownNumber()) {
        if (entry.status() == Status.RUNNING) {
          state.set(i, entry.used(usage(meta.object("usage"))));
        }
        return;
      }
    }
  }

  private static void returned(NumberedState<IterationEntry> state, Meta meta) {
    OptionalLong number = meta.integer("n");
    for (int i = state.size() - 1; i >= 0; i--) {
      IterationEntry entry = state.get(i);
      if (number.isPresent() && number.getAsLong() == entry.ownNumber()) {
        state.set(i, entry.returned(meta.string("reason")));
        return;
      }
    }
  }

  private static Usage usage(@Nullable Meta usage) {
    return usage == null ? Usage.NONE : Usage.of(usage);
  }

  @Override
  public Optional<Codec<NumberedState<IterationEntry>>> codec() {
    return Optional.of(CODEC);
  }

  private static final Codec<NumberedState<IterationEntry>> CODEC =
      new NumberedState.Codec<>() {
        @Override
        protected void writeEntry(IterationEntry entry, Output out) {
          out.text(entry.id());
          out.number(entry.number());
          out.number(entry.ownNumber());
          out.text(entry.role().word());
          out.number(entry.agent());
          out.text(entry.task());
          out.number(entry.started().toEpochMilli());
          out.text(entry.status().word());
          out.number(entry.ended() == null ? Long.MIN_VALUE : entry.ended().toEpochMilli());
          out.number(entry.lastBeside());
          out.text(entry.summary());
          out.text(entry.usage().json().json());
          out.text(entry.returned());
        }

        @Override
        protected IterationEntry readEntry(Input in, int size) throws IOException {
          String id = in.text();
          int number = in.integer();
          long ownNumber = in.number();
          Role role = Role.of(in.text());
          int agent = in.integer();
          String task = in.textOrNull();
          Instant started = Instant.ofEpochMilli(in.number());
          Status status = Status.of(in.text());
          long ended = in.number();
          return new IterationEntry(
              id,
              number,
              ownNumber,
              role,
              agent,
              task,
              started,
              status,
              ended == Long.MIN_VALUE ? null : Instant.ofEpochMilli(ended),
              in.integer(),
              in.textOrNull(),
              Usage.of(Meta.stored(in.text())),
              in.textOrNull());
        }
      };
}
