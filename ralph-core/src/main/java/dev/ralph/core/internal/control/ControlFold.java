package dev.ralph.core.internal.control;

import dev.ralph.Control;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.domain.StateCodec;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Folds the frames of a session's control topic:
 *
 * <pre>
 * {action:session_complete}              completion is claimed
 * {action:session_completed}             and granted by the loop
 * {action:completion_refused, reasons[]} or refused; else the claim ends with the loop
 * {action:pause}  {action:resume}  {action:stop, reason?}
 * {action:loop_start, run, first?, from?, limit?, agents?, lease?, host, pid, started, boot?,
 *     ticks?, pid_ns?}                   lease in milliseconds
 * {action:loop_alive, run}               renews the lease
 * {action:raise, iterations?, cost_usd?, tokens?}  added to the limits of the run
 * {action:loop_end, reason, detail?}    detail: one line
 * </pre>
 */
public final class ControlFold implements Fold<ControlState, ControlState> {

  @Override
  public String name() {
    return "ralph.control";
  }

  @Override
  public int version() {
    return 8;
  }

  @Override
  public ControlState initial() {
    return ControlState.NONE;
  }

  @Override
  public ControlState result(ControlState state) {
    return state;
  }

  @Override
  public ControlState apply(ControlState state, Frame frame) {
    Meta meta = frame.meta();
    String action = meta.string("action");
    return action == null
        ? state
        : switch (action) {
          case "session_complete" -> state.claim();
          case "session_completed" -> state.grant();
          case "completion_refused" -> state.refuse(List.copyOf(meta.strings("reasons")));
          case "pause" -> state.paused(true);
          case "resume" -> state.paused(false);
          case "stop" -> state.stop(meta.string("reason"));
          case "loop_start" -> {
            ProcessIdentity process = ProcessIdentity.of(meta);
            yield state.begin(
                process == null
                    ? null
                    : new ControlState.Run(
                        meta.string("run"),
                        process,
                        count(meta, "first"),
                        count(meta, "from"),
                        count(meta, "limit"),
                        Math.max(1, count(meta, "agents")),
                        count(meta, "lease"),
                        frame.time(),
                        ControlState.Raised.NONE));
          }
          case "loop_alive" -> state.seen(meta.string("run"), frame.time());
          case "raise" ->
              state.raise(
                  count(meta, "iterations"),
                  cost(meta),
                  Math.max(0, meta.integer("tokens").orElse(0)));
          case "loop_end" ->
              state.end(end(meta.string("reason"), meta.string("detail"), frame.time()));
          default -> state;
        };
  }

  /** Returns the text of an added cost. Does not initialize {@code BigDecimal} without a cost. */
  private static String cost(Meta meta) {
    BigDecimal cost = meta.number("cost_usd");
    return cost == null || !Limit.isValid(cost) ? ControlState.Raised.NO_COST : cost.toString();
  }

  /** The limit of added costs, in a class of its own for short commands. */
  private static final class Limit {

    /**
     * The maximum cost. Greater numbers are invalid input, and their sums could become arbitrarily
     * long texts.
     */
    private static final BigDecimal MOST_COST = new BigDecimal("1000000000000");

    /** The maximum scale of a cost, which limits the length of sums as text. */
    private static final int MOST_DIGITS = 30;

    static boolean isValid(BigDecimal cost) {
      return cost.signum() > 0
          && Math.abs((long) cost.scale()) <= MOST_DIGITS
          && cost.compareTo(MOST_COST) <= 0;
    }
  }

  private static Control.@Nullable LoopEnd end(
      @Nullable String reason, @Nullable String detail, Instant time) {
    return reason == null ? null : new Control.LoopEnd(reason, detail, time);
  }

  private static int count(Meta meta, String key) {
    return (int) Math.max(0, Math.min(Integer.MAX_VALUE, meta.integer(key).orElse(0)));
  }

  @Override
  public Optional<Codec<ControlState>> codec() {
    return Optional.of(CODEC);
  }

  private static final Codec<ControlState> CODEC =
      new StateCodec<>() {
        @Override
        protected void write(ControlState state, Output out) {
          out.bool(state.claimed());
          out.bool(state.completed());
          out.number(state.refusals().size());
          for (String reason : state.refusals()) {
            out.text(reason);
          }
          out.bool(state.paused());
          ControlState.Stop stop = state.stop();
          out.bool(stop != null);
          out.text(stop == null ? null : stop.reason());
          ControlState.Run run = state.run();
          out.bool(run != null);
          if (run != null) {
            out.text(run.token());
            out.text(run.process().host());
            out.number(run.process().pid());
            out.number(run.process().started());
            out.text(run.process().boot());
            out.number(run.process().ticks());
            out.text(run.process().space());
            out.number(run.first());
            out.number(run.from());
            out.number(run.limit());
            out.number(run.agents());
            out.number(run.lease());
            out.number(run.seen().toEpochMilli());
            out.text(run.raised().cost());
            out.number(run.raised().tokens());
          }
          Control.LoopEnd ended = state.ended();
          out.bool(ended != null);
          if (ended != null) {
            out.text(ended.reason());
            out.text(ended.detail());
            out.number(ended.time().toEpochMilli());
          }
        }

        @Override
        protected ControlState read(Input in) throws IOException {
          boolean claimed = in.bool();
          boolean completed = in.bool();
          List<String> refusals = new ArrayList<>();
          for (int left = in.count(); left > 0; left--) {
            refusals.add(in.text());
          }
          boolean paused = in.bool();
          boolean stopped = in.bool();
          String reason = in.textOrNull();
          return new ControlState(
              claimed,
              completed,
              List.copyOf(refusals),
              paused,
              stopped ? new ControlState.Stop(reason) : null,
              in.bool() ? run(in) : null,
              in.bool() ? ended(in) : null);
        }

        private Control.LoopEnd ended(Input in) throws IOException {
          return new Control.LoopEnd(in.text(), in.textOrNull(), Instant.ofEpochMilli(in.number()));
        }

        /** Returns the text of a cost, or throws if the text is no number. */
        private String cost(String text) {
          return text.equals(ControlState.Raised.NO_COST) ? text : new BigDecimal(text).toString();
        }

        private ControlState.Run run(Input in) throws IOException {
          String token = in.textOrNull();
          return new ControlState.Run(
              token,
              new ProcessIdentity(
                  in.text(),
                  in.number(),
                  in.number(),
                  in.textOrNull(),
                  in.number(),
                  in.textOrNull()),
              in.integer(),
              in.integer(),
              in.integer(),
              in.integer(),
              in.number(),
              Instant.ofEpochMilli(in.number()),
              new ControlState.Raised(cost(in.text()), in.number()));
        }
      };
}
