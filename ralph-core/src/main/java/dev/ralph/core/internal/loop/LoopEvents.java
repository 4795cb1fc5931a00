package dev.ralph.core.internal.loop;

import dev.ralph.CommandGate;
import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Message;
import dev.ralph.Question;
import dev.ralph.Usage;
import dev.ralph.Verdict;
import dev.ralph.log.Meta;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The events of loops, as listeners are told them. */
abstract class LoopEvents implements LoopEvent {

  /** What all events have. */
  record Head(String session, Instant time, int iteration, String message) {}

  private final Type type;
  private final Head head;

  private LoopEvents(Type type, Head head) {
    this.type = type;
    this.head = head;
  }

  @Override
  public final Type type() {
    return type;
  }

  @Override
  public final String session() {
    return head.session();
  }

  @Override
  public final Instant time() {
    return head.time();
  }

  @Override
  public final int iteration() {
    return head.iteration();
  }

  @Override
  public final String message() {
    return head.message();
  }

  @Override
  public Meta data() {
    return Meta.empty();
  }

  @Override
  public final String toString() {
    return message();
  }

  /** Returns what was used, as events show it, or null where nothing is known of it. */
  private static @Nullable Meta meta(Usage usage) {
    return usage.equals(Usage.NONE) ? null : usage.json();
  }

  private static Meta meta(Gate gate) {
    Meta name = Meta.of("name", LogText.unicode(gate.name()));
    return gate instanceof CommandGate command
        ? name.with("command", command.command().stream().map(LogText::unicode).toList())
        : name;
  }

  /** One of a kind that has no particulars. */
  static final class Plain extends LoopEvents {
    Plain(Type type, Head head) {
      super(type, head);
    }
  }

  /** {@link Type#ORPHANS_ENDED}. */
  static final class OrphansGone extends LoopEvents implements OrphansEnded {
    private final List<Long> pids;

    OrphansGone(Head head, List<Long> pids) {
      super(Type.ORPHANS_ENDED, head);
      this.pids = pids;
    }

    @Override
    public List<Long> pids() {
      return pids;
    }

    @Override
    public Meta data() {
      return Meta.of("pids", pids);
    }
  }

  /** {@link Type#USAGE}. */
  static final class UsedMore extends LoopEvents implements Used {
    private final Usage usage;

    UsedMore(Head head, Usage usage) {
      super(Type.USAGE, head);
      this.usage = usage;
    }

    @Override
    public Usage usage() {
      return usage;
    }

    @Override
    public Meta data() {
      return Meta.of("usage", usage.json());
    }
  }

  /** {@link Type#ITERATION_ENDED}. */
  static final class AgentDone extends LoopEvents implements IterationEnded {
    private final AgentOutcome outcome;
    private final Duration took;

    AgentDone(Head head, AgentOutcome outcome, Duration took) {
      super(Type.ITERATION_ENDED, head);
      this.outcome = outcome;
      this.took = took;
    }

    @Override
    public Iteration.Status status() {
      return outcome.status();
    }

    @Override
    public @Nullable String summary() {
      return outcome.summary();
    }

    @Override
    public Duration took() {
      return took;
    }

    @Override
    public Usage usage() {
      return outcome.usage();
    }

    @Override
    public Meta data() {
      return Meta.of("status", status().word())
          .with("summary", summary())
          .with("duration_ms", took.toMillis())
          .with("usage", meta(usage()));
    }
  }

  /** {@link Type#WAITING}. */
  static final class Waits extends LoopEvents implements Waiting {
    private final Wait what;

    Waits(Head head, Wait what) {
      super(Type.WAITING, head);
      this.what = what;
    }

    @Override
    public Reason reason() {
      return what.reason();
    }

    @Override
    public @Nullable Duration atMost() {
      return what.atMost();
    }

    @Override
    public List<String> questions() {
      return what.questions();
    }

    @Override
    public Meta data() {
      Meta reason = Meta.of("reason", what.reason().name().toLowerCase(Locale.ROOT));
      Duration length = what.atMost();
      Meta known = length == null ? reason : reason.with("millis", length.toMillis());
      return what.questions().isEmpty() ? known : known.with("open", what.questions());
    }
  }

  /** {@link Type#QUESTION}. */
  static final class NewQuestion extends LoopEvents implements Asked {
    private final Question question;

    NewQuestion(Head head, Question question) {
      super(Type.QUESTION, head);
      this.question = question;
    }

    @Override
    public Question question() {
      return question;
    }

    @Override
    public Meta data() {
      return Meta.of("ref", "q" + question.number())
          .with("id", question.id())
          .with("text", question.beginning(QuestionWatch.SHOWN))
          .with("length", question.length() > QuestionWatch.SHOWN ? question.length() : null)
          .with("by", question.by());
    }
  }

  /** {@link Type#MESSAGE_READ}. */
  static final class Heard extends LoopEvents implements MessageRead {
    private final Message read;

    Heard(Head head, Message read) {
      super(Type.MESSAGE_READ, head);
      this.read = read;
    }

    @Override
    public Message read() {
      return read;
    }

    @Override
    public Meta data() {
      return Meta.of("ref", "m" + read.number()).with("id", read.id());
    }
  }

  /** {@link Type#GATE_STARTED}. */
  static final class GateBegun extends LoopEvents implements GateStarted {
    private final Gate gate;

    GateBegun(Head head, Gate gate) {
      super(Type.GATE_STARTED, head);
      this.gate = gate;
    }

    @Override
    public Gate gate() {
      return gate;
    }

    @Override
    public Meta data() {
      return meta(gate);
    }
  }

  /** {@link Type#GATE}. */
  static final class GateDone extends LoopEvents implements GateEnded {
    private final Gate gate;
    private final Verdict verdict;

    GateDone(Head head, Gate gate, Verdict verdict) {
      super(Type.GATE, head);
      this.gate = gate;
      this.verdict = verdict;
    }

    @Override
    public Gate gate() {
      return gate;
    }

    @Override
    public Verdict verdict() {
      return verdict;
    }

    @Override
    public Meta data() {
      return meta(gate)
          .with("passed", verdict.isPassed())
          .with("exit_code", verdict.exitCode())
          .with("reason", verdict.reason().isEmpty() ? null : LogText.unicode(verdict.reason()));
    }
  }

  /** {@link Type#COMPLETION_REFUSED}. */
  static final class Refused extends LoopEvents implements CompletionRefused {
    private final List<String> reasons;

    Refused(Head head, List<String> reasons) {
      super(Type.COMPLETION_REFUSED, head);
      this.reasons = reasons;
    }

    @Override
    public List<String> reasons() {
      return reasons;
    }

    @Override
    public Meta data() {
      return Meta.of("reasons", reasons);
    }
  }

  /** {@link Type#LOOP_ENDED}. */
  static final class Ended extends LoopEvents implements LoopEnded {
    private final LoopResult result;

    Ended(Head head, LoopResult result) {
      super(Type.LOOP_ENDED, head);
      this.result = result;
    }

    @Override
    public LoopResult result() {
      return result;
    }

    @Override
    public Meta data() {
      return Meta.of("reason", result.reason().word())
          .with("detail", result.detail())
          .with("iterations", result.iterations())
          .with("usage", meta(result.usage()));
    }
  }
}
