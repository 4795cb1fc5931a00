package dev.ralph.openspec.internal;

import dev.ralph.Ralph;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import java.util.List;
import java.util.function.Consumer;

/**
 * A store in memory that rejects all appends after a given number, as if the program was killed.
 */
final class HaltingStore extends ForwardingStore implements FrameStoreProvider {

  private int left = Integer.MAX_VALUE;
  private int appends;
  private int eventAt = -1;
  private Consumer<Batch> event = batch -> {};

  HaltingStore() {
    super(new MemoryStoreProvider().open(StoreConfig.in(null)));
  }

  @Override
  public String name() {
    return "halting";
  }

  @Override
  public FrameStore open(StoreConfig config) {
    return this;
  }

  /** Opens a client of this store; callable several times. */
  Ralph ralph() {
    return Ralph.builder().store("halting").providers(List.of(this)).open();
  }

  @Override
  public Appended append(Batch batch) {
    count().accept(batch);
    return super.append(batch);
  }

  private synchronized Consumer<Batch> count() {
    if (left == 0) {
      throw new IllegalStateException("halted");
    }
    left--;
    return appends++ == eventAt ? event : batch -> {};
  }

  /** Sets the number of further appends. */
  synchronized void halt(int after) {
    left = after;
  }

  /** Runs an action right before an append; the first append has the number 0. */
  synchronized void before(int append, Consumer<Batch> happening) {
    eventAt = append;
    event = happening;
  }

  /** Returns the number of appends. */
  synchronized int appends() {
    return appends;
  }

  @Override
  public void close() {}
}
