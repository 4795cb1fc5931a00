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
 * Appends excerpts with Chronicle. Appends require the store's lock. Therefore any holder of
 * Chronicle's own lock has died, and the queue releases Chronicle's lock.
 */
final class AppendQueue implements AutoCloseable {

  /**
   * An excerpt has at most a quarter of this size. Roll files are sparse, so this costs no space.
   */
  private static final int BLOCK_BYTES = 64 * 1024 * 1024;

  private static final AtomicBoolean WARM = new AtomicBoolean();

  private static final long MILLIS_PER_CYCLE = 86_400_000;
  private static final long TIMEOUT_MILLIS = 200;

  /** The names of Chronicle's values for the first and the last roll file. */
  private static final List<String> LISTED_CYCLES =
      List.of("listing.lowestCycle", "listing.highestCycle");

  static {
    // Chronicle reads these when its classes load: no network access, no background threads.
    setUnlessSet("chronicle.analytics.disable", "true");
    setUnlessSet("chronicle.announcer.disable", "true");
    setUnlessSet("chronicle.disk.monitor.disable", "true");
    setUnlessSet("background.releaser", "false");
    // Chronicle treats a damaged table as locked, and retries until this timeout.
    setUnlessSet("chronicle.table.store.timeoutMS", "1000");
    // The thread's context class loader may find another provider.
    ClassLoader own = SLF4JServiceProvider.class.getClassLoader();
    if (ServiceLoader.load(SLF4JServiceProvider.class, own).findFirst().isEmpty()) {
      // Otherwise SLF4J prints a warning that no provider exists.
      setUnlessSet("slf4j.internal.verbosity", "ERROR");
    }
  }

  private final SingleChronicleQueue queue;
  private @Nullable ExcerptAppender appender;
  private final TableStore<Metadata.NoMeta> table;
  private final TableStoreWriteLock lock;

  /** The cycle to append to, which Chronicle reads as the current time. */
  private volatile int cycle;

  private boolean mayHaveWritten;

  private AppendQueue(Path directory, int cycle) {
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
   * Opens a queue, and creates the queue if missing. Does not need the store's lock, because
   * Chronicle synchronises opening by itself. The first call in a JVM takes about a second.
   */
  static AppendQueue open(Path directory, int cycle) {
    return new AppendQueue(directory, cycle);
  }

  /**
   * Loads Chronicle's classes by an append to a queue in a temporary folder, once for each JVM.
   * Otherwise the first append would load them under the store's lock, and other processes could
   * time out on a busy machine.
   */
  static void warmUp() {
    if (!WARM.compareAndSet(false, true)) {
      return;
    }
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    try (ScratchFolder folder = ScratchFolder.create(temporary);
        AppendQueue scratch = new AppendQueue(folder.path(), 1)) {
      scratch.append(1, new byte[Long.BYTES], Long.BYTES, header -> true);
    } catch (Throwable e) { // Chronicle throws undeclared checked exceptions
      System.getLogger(AppendQueue.class.getName())
          .log(
              System.Logger.Level.DEBUG,
              "cannot warm up Chronicle; the first append takes longer",
              e);
    }
  }

  /**
   * Hides all roll files from Chronicle except the one to append to. Otherwise Chronicle reads them
   * to create an appender, and fails permanently if one is damaged.
   */
  void hideOtherFiles() {
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
   * @param expected accepts or rejects the offset of the header; nothing is written after a
   *     rejection
   * @return the offset of the header, whether or not the excerpt was written
   */
  long append(int toCycle, byte[] bytes, int length, PlaceCheck expected) {
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
        if (expected.accepts(header)) {
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

  /** Returns true if the last append may have written its excerpt, even after a failure. */
  boolean mayHaveWritten() {
    return mayHaveWritten;
  }

  /** Decides whether an excerpt may be written at an offset. */
  interface PlaceCheck {
    boolean accepts(long header);
  }

  @Override
  public void close() {
    Closeable.closeQuietly(appender, lock, table, queue);
  }
}
