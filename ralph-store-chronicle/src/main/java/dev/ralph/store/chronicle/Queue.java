package dev.ralph.store.chronicle;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicBoolean;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.core.io.Closeable;
import net.openhft.chronicle.core.values.LongValue;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Chronicle itself. Appends happen under the store's lock, so a process that holds a lock of
 * Chronicle's then has died with it, and is not waited for.
 */
final class Queue implements AutoCloseable {

  /** An excerpt may be a quarter of this. Roll files are sparse: it takes no room. */
  private static final int BLOCK_BYTES = 64 * 1024 * 1024;

  private static final AtomicBoolean WARM = new AtomicBoolean();

  private static final long MILLIS_PER_CYCLE = 86_400_000;
  private static final long TIMEOUT_MILLIS = 200;

  /** Chronicle's names for the first and the last roll file there are. */
  private static final List<String> LISTED_CYCLES =
      List.of("listing.lowestCycle", "listing.highestCycle");

  static {
    // Before any class of Chronicle is there: nothing leaves the machine, no thread is left behind.
    setUnlessSet("chronicle.analytics.disable", "true");
    setUnlessSet("chronicle.announcer.disable", "true");
    setUnlessSet("chronicle.disk.monitor.disable", "true");
    setUnlessSet("background.releaser", "false");
    // What it finds damaged of its own it takes for locked, and tries again for so long.
    setUnlessSet("chronicle.table.store.timeoutMS", "1000");
    ClassLoader own = SLF4JServiceProvider.class.getClassLoader(); // the thread's may have another
    if (ServiceLoader.load(SLF4JServiceProvider.class, own).findFirst().isEmpty()) {
      setUnlessSet("slf4j.internal.verbosity", "ERROR"); // or it prints that it prints nothing
    }
  }

  private final SingleChronicleQueue queue;
  private @Nullable ExcerptAppender appender;
  private final TableStore<Metadata.NoMeta> table;
  private final TableStoreWriteLock lock;

  /** The cycle to append to, which Chronicle takes for the present. */
  private volatile int cycle;

  private boolean mayHaveWritten;

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
    SingleChronicleQueue opened = builder.build();
    TableStore<Metadata.NoMeta> openedTable = null;
    TableStoreWriteLock openedLock = null;
    try {
      openedTable = SingleTableBuilder.binary(metadata, Metadata.NoMeta.INSTANCE).build();
      openedLock = new TableStoreWriteLock(openedTable, Pauser::balanced, TIMEOUT_MILLIS);
    } finally {
      if (openedLock == null) {
        Closeable.closeQuietly(openedTable, opened);
      }
    }
    this.queue = opened;
    this.table = openedTable;
    this.lock = openedLock;
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

  /**
   * Loads what an append takes, once for each JVM, by an append to a queue in a temporary folder.
   * The first append to a store would do that with the store's lock held: on a busy machine others
   * would wait for it longer than they may.
   */
  static void warmUp() {
    if (!WARM.compareAndSet(false, true)) {
      return;
    }
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    try (ScratchFolder folder = ScratchFolder.make(temporary);
        Queue scratch = new Queue(folder.path(), 1)) {
      scratch.append(1, new byte[Long.BYTES], Long.BYTES, header -> true);
    } catch (Throwable e) { // Chronicle throws checked exceptions, too, and declares none
      System.getLogger(Queue.class.getName())
          .log(System.Logger.Level.DEBUG, "the first append will take longer", e);
    }
  }

  /**
   * Shows Chronicle no roll file but the one to append to. It reads others when it makes an
   * appender, and fails for good where one of them is damaged.
   */
  void passOverOtherFiles() {
    for (String bound : LISTED_CYCLES) {
      try (LongValue value = table.acquireValueFor(bound)) {
        value.setOrderedValue(cycle);
      }
    }
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
    mayHaveWritten = false;
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
          mayHaveWritten = true;
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

  /** Returns whether the last append may have written its excerpt, whatever it ended with. */
  boolean mayHaveWritten() {
    return mayHaveWritten;
  }

  /** Says whether an excerpt may stand at a place. */
  interface Place {
    boolean is(long header);
  }

  @Override
  public void close() {
    Closeable.closeQuietly(appender, lock, table, queue);
  }
}
