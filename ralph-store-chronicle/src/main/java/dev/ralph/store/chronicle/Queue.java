package dev.ralph.store.chronicle;

import java.io.File;
import java.nio.file.Path;
import java.util.ServiceLoader;
import javax.annotation.Nullable;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.TableStore;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.queue.impl.single.TableStoreWriteLock;
import net.openhft.chronicle.queue.impl.table.Metadata;
import net.openhft.chronicle.queue.impl.table.SingleTableBuilder;
import net.openhft.chronicle.threads.Pauser;
import net.openhft.chronicle.wire.DocumentContext;

/**
 * Chronicle itself. Appends happen under the store's lock, so whoever holds a lock of Chronicle's
 * then has died with it, and is not waited for.
 */
final class Queue implements AutoCloseable {

  /** An excerpt may be a quarter of this. Roll files are sparse: it takes no room. */
  private static final int BLOCK_BYTES = 64 * 1024 * 1024;

  private static final long MILLIS_PER_CYCLE = 86_400_000;
  private static final long TIMEOUT_MILLIS = 200;

  static {
    // Before any class of Chronicle is there: nothing leaves the machine, no thread is left behind.
    setUnlessSet("chronicle.analytics.disable", "true");
    setUnlessSet("chronicle.announcer.disable", "true");
    setUnlessSet("chronicle.disk.monitor.disable", "true");
    setUnlessSet("background.releaser", "false");
    if (ServiceLoader.load(org.slf4j.spi.SLF4JServiceProvider.class).findFirst().isEmpty()) {
      setUnlessSet("slf4j.internal.verbosity", "ERROR"); // or it prints that it prints nothing
    }
  }

  private final SingleChronicleQueue queue;
  @Nullable private ExcerptAppender appender;
  private final TableStore<Metadata.NoMeta> table;
  private final TableStoreWriteLock lock;

  /** The cycle to append to, which Chronicle takes for the present. */
  private volatile int cycle;

  private Queue(Path directory, int cycle) {
    this.cycle = cycle;
    File metadata = directory.resolve("metadata.cq4t").toFile();
    SingleChronicleQueueBuilder builder =
        SingleChronicleQueueBuilder.single(directory.toFile())
            .rollCycle(RollCycles.FAST_DAILY)
            .blockSize(BLOCK_BYTES)
            .timeoutMS(TIMEOUT_MILLIS)
            .checkInterrupts(false)
            .timeProvider(() -> this.cycle * MILLIS_PER_CYCLE);
    this.queue = builder.build();
    this.table = SingleTableBuilder.binary(metadata, Metadata.NoMeta.INSTANCE).build();
    this.lock = new TableStoreWriteLock(table, Pauser::balanced, TIMEOUT_MILLIS);
  }

  private static void setUnlessSet(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }

  /**
   * Opens the queue, which is made if it is missing. Chronicle keeps processes apart by itself in
   * this, so the store's lock need not be held: the first time in a JVM it takes a second.
   */
  static Queue open(Path directory, int cycle) {
    return new Queue(directory, cycle);
  }

  private void unlock() {
    if (lock.locked()) {
      lock.forceUnlock();
    }
  }

  /**
   * Appends an excerpt to a roll file.
   *
   * @param expected where its header should stand; nothing is written if it would stand elsewhere
   * @return where its header would stand, or stands now
   */
  long append(int toCycle, byte[] bytes, int length, Place expected) {
    cycle = toCycle;
    unlock();
    ExcerptAppender to = appender;
    if (to == null) {
      to = queue.createAppender();
      to.singleThreadedCheckDisabled(true);
      appender = to;
    }
    try (DocumentContext context = to.writingDocument()) {
      boolean done = false;
      try {
        Bytes<?> memory = context.wire().bytes();
        long header = memory.writePosition() - Integer.BYTES;
        if (expected.is(header)) {
          memory.write(bytes, 0, length);
          done = true;
        }
        return header;
      } finally {
        if (!done) {
          context.rollbackOnClose();
        }
      }
    }
  }

  /** Says whether an excerpt may stand at a place. */
  interface Place {
    boolean is(long header);
  }

  @Override
  public void close() {
    if (appender != null) {
      appender.close();
    }
    lock.close();
    table.close();
    queue.close();
  }
}
