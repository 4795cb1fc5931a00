package dev.ralph.cli;

import dev.ralph.Damage;
import dev.ralph.Frame;
import dev.ralph.Position;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameCursor;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.Query;
import dev.ralph.spi.StoreConfig;
import java.util.List;
import javax.annotation.Nullable;

/**
 * Opens another provider's stores such that the damage met in reading them is noted: a session
 * shows what can be read, and somebody has to say that this is not all.
 */
final class DamageNotingProvider implements FrameStoreProvider {

  private final FrameStoreProvider provider;
  private final List<Damage> met;

  /**
   * Makes the provider.
   *
   * @param met where the damage is added, each piece once
   */
  DamageNotingProvider(FrameStoreProvider provider, List<Damage> met) {
    this.provider = provider;
    this.met = met;
  }

  @Override
  public String name() {
    return provider.name();
  }

  @Override
  public FrameStore open(StoreConfig config) {
    return new Store(provider.open(config), met);
  }

  private static void note(List<Damage> found, List<Damage> met) {
    if (found.isEmpty()) {
      return;
    }
    synchronized (met) {
      for (Damage each : found) {
        if (!met.contains(each)) {
          met.add(each);
        }
      }
    }
  }

  private static final class Store extends ForwardingStore {

    private final List<Damage> met;

    Store(FrameStore store, List<Damage> met) {
      super(store);
      this.met = met;
    }

    @Override
    public FrameCursor read(Query query) {
      return new Cursor(super.read(query), met);
    }
  }

  private static final class Cursor implements FrameCursor {

    private final FrameCursor cursor;
    private final List<Damage> met;

    Cursor(FrameCursor cursor, List<Damage> met) {
      this.cursor = cursor;
      this.met = met;
    }

    @Override
    @Nullable
    public Frame next() {
      return cursor.next();
    }

    @Override
    public Position position() {
      return cursor.position();
    }

    @Override
    public List<Damage> damage() {
      return cursor.damage();
    }

    @Override
    public void close() {
      note(cursor.damage(), met);
      cursor.close();
    }
  }
}
