package dev.ralph.core.internal.iteration;

import dev.ralph.Iteration;
import dev.ralph.IterationLog;
import dev.ralph.RecordEntry;
import dev.ralph.Usage;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.DamagedException;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Ledger;
import dev.ralph.log.Meta;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An iteration log whose changes are decided on the session's frames, with the methods that the
 * loop needs to record iterations.
 */
public final class LedgerIterationLog implements IterationLog {

  private final Ledger<Iterations> ledger;
  private final IterationDecider decider;
  private final Topic topic;
  private final Topic output;
  private final Topic record;
  private final IterationFrames frames;

  /**
   * Creates a log of present or past iterations.
   *
   * @param topic the topic of the iteration frames
   * @param output the topic of the agents' output
   * @param record the topic of the agents' records
   * @param frames the frames as of the ledger's moment
   */
  public LedgerIterationLog(
      Ledger<Iterations> ledger, Topic topic, Topic output, Topic record, IterationFrames frames) {
    this.ledger = ledger;
    this.decider = new IterationDecider(topic);
    this.topic = topic;
    this.output = output;
    this.record = record;
    this.frames = frames;
  }

  @Override
  public List<Iteration> list() {
    return ledger.state().list();
  }

  @Override
  public Optional<Iteration> last() {
    return ledger.state().last();
  }

  /**
   * Returns the number of a running iteration according to the log: the preferred iteration if
   * running, otherwise the newest running iteration, or 0.
   */
  public int ongoing(int preferred) {
    int newest = 0;
    for (IterationEntry running : ledger.state().running()) {
      if (running.number() == preferred) {
        return preferred;
      }
      newest = running.number();
    }
    return newest;
  }

  /** Returns the id of an iteration's first frame. */
  public String begun(int number) {
    return ledger.state().get(number).id();
  }

  @Override
  public Usage usage() {
    return ledger.state().usage();
  }

  @Override
  public void transcript(int number, Consumer<? super String> reader) {
    pieces(
        number,
        output,
        piece -> {
          String text = piece.isErased() ? null : textOf(piece);
          if (text != null) {
            reader.accept(piece.meta().isTrue("continues") ? text : text + '\n');
          }
        });
  }

  @Override
  public void record(int number, Consumer<? super RecordEntry> reader) {
    AtomicBoolean erased = new AtomicBoolean();
    pieces(
        number,
        record,
        piece -> {
          String text = textOf(piece);
          boolean again = erased.getAndSet(piece.isErased());
          if (piece.isErased() && !again) {
            reader.accept(gap("erased", piece.time()));
          } else if (piece.isErased()) {
            // Consecutive erased pieces produce a single gap.
          } else if (text == null) {
            reader.accept(gap("a part of the log is lost; run ralph verify", piece.time()));
          } else if (piece.meta().has("type")) {
            // The prompt is a separate content, so that a store can keep equal prompts once.
            RecordEntry.of(piece.meta().without("iteration").with("prompt", text))
                .ifPresent(reader);
          } else {
            text.lines().flatMap(line -> entry(line).stream()).forEach(reader);
          }
        });
  }

  @Override
  public int erase(int number) {
    List<String> ids = new ArrayList<>();
    for (Topic of : List.of(record, output)) {
      pieces(number, of, piece -> addTo(ids, piece));
    }
    return frames.erase(ids);
  }

  @Override
  public int eraseRecords(Instant before) {
    List<String> ids = new ArrayList<>();
    try (FrameCursor cursor = frames.log().read(Query.of(TopicFilter.of(record)))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        if (frame.time().isBefore(before) && !frame.isErasureNotice()) {
          addTo(ids, frame);
        }
      }
    }
    return frames.erase(ids);
  }

  private static void addTo(List<String> ids, Frame piece) {
    if (!piece.isErased()) {
      ids.add(piece.id());
    }
  }

  private static Optional<RecordEntry> entry(String line) {
    try {
      return RecordEntry.of(Meta.parse(line));
    } catch (RalphException notWrittenHere) {
      return Optional.empty();
    }
  }

  private void pieces(int number, Topic of, Consumer<Frame> reader) {
    Iterations all = ledger.state();
    IterationEntry iteration = all.get(number);
    IterationEntry after = all.after(iteration).orElse(null);
    FrameLog log = frames.log();
    // Erased pieces have a position but no iteration.
    Position next = after == null ? null : log.get(after.id()).map(Frame::position).orElse(null);
    Query query = Query.of(TopicFilter.of(of));
    Optional<Frame> start = log.get(iteration.id());
    if (start.isPresent()) {
      query = query.after(start.get().position());
    }
    try (FrameCursor cursor = log.read(query)) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        OptionalLong owner = frame.meta().integer("iteration");
        boolean isLater =
            after != null && owner.isPresent() && owner.getAsLong() >= after.ownNumber();
        if (!frames.includes(frame) || isLater) {
          break;
        }
        boolean erased = frame.isErased() && (next == null || frame.position().compareTo(next) < 0);
        if (erased || owner.isPresent() && owner.getAsLong() == iteration.ownNumber()) {
          reader.accept(frame);
        }
      }
    }
  }

  /** Returns the text of a piece, or null if the content is lost. */
  private static @Nullable String textOf(Frame piece) {
    try {
      return piece.content();
    } catch (DamagedException e) {
      return null;
    }
  }

  /** Returns the entry that replaces missing parts of a record. */
  public static RecordEntry gap(String reason, @Nullable Instant time) {
    return new RecordEntry(RecordEntry.Type.GAP, Meta.of("reason", reason), time);
  }

  // ---- for the loop

  /**
   * Starts the next iteration; iterations of other agents may be running. In the same append, ends
   * iterations of dead loops as interrupted.
   *
   * @param role the word of the role; null in a loop with a single role
   * @param process the process of the loop
   * @param agent the number among several agents, from 1; 0 for a single agent
   * @param task the id of the assigned task, or null for none
   */
  public Iteration start(
      @Nullable String role, ProcessIdentity process, int agent, @Nullable String task) {
    return ledger.decide(
        "beginning an iteration of " + topic,
        (iterations, now) -> decider.start(iterations, role, agent, task, process, now));
  }

  /**
   * Ends an iteration. Does nothing if it has ended.
   *
   * @param summary a few words about the iteration, or null
   */
  public Iteration complete(
      int number, Iteration.Status status, @Nullable String summary, Usage usage) {
    return ledger.decide(
        "ending iteration " + number + " of " + topic,
        (iterations, now) -> decider.complete(iterations, number, status, summary, usage, now));
  }

  /**
   * Records that the completion of a task or of the session was refused. Does nothing if the
   * iteration was erased, or has a task while the session's completion was refused.
   *
   * @param task the id of the reopened task, or null for the session
   * @param reason one line
   */
  public void returned(int number, @Nullable String task, String reason) {
    try {
      Iteration unused =
          ledger.decide(
              "recording a return in " + topic,
              (iterations, now) -> decider.returned(iterations, number, task, reason));
    } catch (NotFoundException erased) {
      // The iteration was erased; the task or the control topic still has the reason.
    }
  }

  /** Appends an iteration's usage so far. The frame survives the end of the process. */
  public void used(int iteration, Usage soFar) {
    keep(
        List.of(
            Draft.of(
                topic,
                Meta.of("action", "usage").with("n", iteration).with("usage", soFar.json()))));
  }

  /**
   * Returns the total usage of iterations.
   *
   * @param first the number of the first iteration
   */
  public Usage usageFrom(int first) {
    Usage sum = Usage.NONE;
    for (Iteration iteration : list()) {
      sum = iteration.number() < first ? sum : sum.plus(iteration.usage());
    }
    return sum;
  }

  /**
   * Returns a frame with a piece of the agent's output.
   *
   * @param text one or more lines, without the last line break
   * @param continues whether the next piece continues the last line
   */
  public Draft part(int iteration, String text, boolean continues) {
    Meta meta = Meta.of("iteration", iteration);
    return Draft.of(output, continues ? meta.with("continues", true) : meta, text);
  }

  /**
   * Returns a frame with a piece of the record.
   *
   * @param entries one or more entries, one per line; or the prompt's text, if the metadata is the
   *     prompt's entry
   */
  public Draft recorded(int iteration, Meta meta, String entries) {
    return Draft.of(record, meta.with("iteration", iteration), entries);
  }

  /** Appends pieces atomically. They survive the end of the process, but not a power failure. */
  public void keep(List<Draft> pieces) {
    frames.append(pieces);
  }
}
