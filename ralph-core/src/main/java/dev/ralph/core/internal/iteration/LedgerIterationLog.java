package dev.ralph.core.internal.iteration;

import dev.ralph.Iteration;
import dev.ralph.IterationLog;
import dev.ralph.Usage;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.DamagedException;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Ledger;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The iterations of a session, as a state that is decided on; with what a loop needs to record its
 * own.
 */
public final class LedgerIterationLog implements IterationLog {

  private final Ledger<Iterations> ledger;
  private final IterationDecider decider;
  private final Topic topic;
  private final Topic output;
  private final FrameLog log;
  private final Predicate<Frame> known;
  private final Consumer<Draft> appender;

  /**
   * Makes the log of present iterations, or of past ones.
   *
   * @param topic of their frames
   * @param output the topic of what agents say
   * @param log where that is read
   * @param known whether a frame had been appended at the moment that the ledger is of
   * @param appender appends a frame that survives the end of the process, or refuses to
   */
  public LedgerIterationLog(
      Ledger<Iterations> ledger,
      Topic topic,
      Topic output,
      FrameLog log,
      Predicate<Frame> known,
      Consumer<Draft> appender) {
    this.ledger = ledger;
    this.decider = new IterationDecider(topic);
    this.topic = topic;
    this.output = output;
    this.log = log;
    this.known = known;
    this.appender = appender;
  }

  @Override
  public List<Iteration> list() {
    return ledger.state().list();
  }

  @Override
  public Optional<Iteration> last() {
    return ledger.state().last();
  }

  /** Returns the id of the first frame of the iteration that runs, as far as the log knows. */
  public Optional<String> running() {
    List<IterationEntry> running = ledger.state().running();
    return running.isEmpty() ? Optional.empty() : Optional.of(running.get(running.size() - 1).id());
  }

  @Override
  public Usage usage() {
    return ledger.state().usage();
  }

  @Override
  public void transcript(int number, Consumer<? super String> reader) {
    IterationEntry iteration = ledger.state().get(number);
    Query query = Query.of(TopicFilter.of(output));
    Optional<Frame> start = log.get(iteration.id());
    if (start.isPresent()) {
      query = query.after(start.get().position());
    }
    try (FrameCursor cursor = log.read(query)) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        OptionalLong of = frame.meta().integer("iteration");
        boolean wanted = of.isPresent() && of.getAsLong() == iteration.ownNumber;
        if (!known.test(frame) || of.isPresent() && of.getAsLong() > iteration.ownNumber) {
          break;
        }
        if (wanted) {
          read(frame, reader);
        }
      }
    }
  }

  private static void read(Frame piece, Consumer<? super String> reader) {
    String text;
    try {
      text = piece.content();
    } catch (DamagedException e) {
      return; // lost, like a piece whose frame is
    }
    reader.accept(piece.meta().isTrue("continues") ? text : text + '\n');
  }

  // ---- for a loop

  /**
   * Begins the next iteration. One that was left without an end, by a loop that is gone, is closed
   * as interrupted in the same step.
   *
   * @param process the one that runs the loop
   */
  public Iteration start(ProcessIdentity process) {
    return ledger.decide(
        "beginning an iteration of " + topic,
        (iterations, now) -> decider.start(iterations, process, now));
  }

  /**
   * Ends an iteration; one that has ended stays as it is.
   *
   * @param summary a few words on it, or null
   */
  public Iteration complete(
      int number, Iteration.Status status, @Nullable String summary, Usage usage) {
    return ledger.decide(
        "ending iteration " + number + " of " + topic,
        (iterations, now) -> decider.complete(iterations, number, status, summary, usage, now));
  }

  /** Keeps what an iteration has used so far; it survives the end of the process. */
  public void used(int iteration, Usage soFar) {
    appender.accept(
        Draft.of(
            topic, Meta.of("action", "usage").with("n", iteration).with("usage", soFar.json())));
  }

  /**
   * Returns what iterations used together.
   *
   * @param first the number of the first one
   */
  public Usage usageFrom(int first) {
    Usage sum = Usage.NONE;
    for (Iteration iteration : list()) {
      sum = iteration.number() < first ? sum : sum.plus(iteration.usage());
    }
    return sum;
  }

  /**
   * Keeps a piece of what the agent said; it survives the end of the process, not a power cut.
   *
   * @param text a line or several, without the last line break
   * @param continues whether the last line goes on in the next piece
   */
  public void output(int iteration, String text, boolean continues) {
    Meta meta = Meta.of("iteration", iteration);
    appender.accept(Draft.of(output, continues ? meta.with("continues", true) : meta, text));
  }
}
