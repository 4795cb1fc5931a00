package dev.ralph.chaos;

import dev.ralph.chaos.WriterProgram.Step;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Frame;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/**
 * A process that appends the steps of a program and records the results until killed. It prints
 * {@code working} after the first acknowledged append. The process exits at the end of standard
 * input, and therefore never outlives the parent. After the permitted number of attempts, the
 * process pauses until a byte arrives.
 */
public final class Writer {

  private static final TopicFilter COUNTERS = TopicFilter.of(WriterProgram.COUNTER);

  private final FrameStore store;
  private final Journal journal;
  private boolean working;

  private Writer(FrameStore store, Journal journal) {
    this.store = store;
    this.journal = journal;
  }

  /**
   * Runs the process.
   *
   * @param args the store's address, the journal, the seed, the writer's number, {@code sync} or
   *     {@code mixed} for the durability, and the number of batches to append at first and again
   *     for each byte of input
   */
  public static void main(String[] args) throws IOException {
    Path file = Path.of(args[1]);
    WriterProgram program =
        new WriterProgram(
            Long.parseLong(args[2]), Integer.parseInt(args[3]), args[4].equals("sync"));
    int next = Journal.read(file).lastStep() + 1;
    int steps = Integer.parseInt(args[5]);
    Semaphore allowed = new Semaphore(steps);
    Thread leash = new Thread(() -> endWithInput(() -> allow(allowed, steps)), "leash");
    leash.setDaemon(true);
    leash.start();
    try (FrameStore store = Stores.open(args[0]);
        Journal journal = Journal.open(file)) {
      Writer writer = new Writer(store, journal);
      for (int step = next; ; step++) {
        allowed.acquireUninterruptibly();
        writer.append(program.step(step));
      }
    }
  }

  private static void allow(Semaphore allowed, int steps) {
    allowed.drainPermits();
    allowed.release(steps);
  }

  /**
   * Runs an action for each byte of standard input, and halts the process when standard input ends.
   */
  static void endWithInput(Runnable onByte) {
    try {
      while (System.in.read() >= 0) {
        onByte.run();
      }
    } catch (IOException gone) {
      // same as the end of input
    }
    Runtime.getRuntime().halt(0);
  }

  private void append(Step step) throws IOException {
    journal.tried(step.number());
    try {
      Appended appended = store.append(batch(step));
      if (appended.isConflict()) {
        journal.conflict(step.number());
        return;
      }
      List<String> ids = appended.frames().stream().map(Frame::id).toList();
      journal.done(step.number(), step.synced(), ids);
      if (!working) {
        System.out.println("working");
        working = true;
      }
    } catch (IndeterminateException unknown) {
      journal.unknown(step.number());
    } catch (RalphException refused) {
      journal.refused(step.number(), refused.code().name());
    }
  }

  private Batch batch(Step step) {
    Batch batch = Batch.of(step.batchId(System.nanoTime()), step.drafts(0));
    if (step.counts()) {
      Optional<Frame> last = store.last(COUNTERS);
      long counted = last.map(frame -> frame.meta().integer("count").orElseThrow()).orElse(0L);
      batch =
          Batch.of(batch.id(), step.drafts(counted + 1))
              .onlyIf(
                  new Batch.Condition(COUNTERS, last.map(Frame::position).orElse(Position.START)));
    }
    return batch.synced(step.synced());
  }
}
