package dev.ralph.spi;

import dev.ralph.internal.StoreLocation;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The place of a store and the options to open it. Immutable. */
public final class StoreConfig {

  private final @Nullable Path directory;
  private final @Nullable String server;
  private final boolean create;
  private final Clock clock;

  private StoreConfig(
      @Nullable Path directory, @Nullable String server, boolean create, Clock clock) {
    this.directory = directory;
    this.server = server;
    this.create = create;
    this.clock = clock;
  }

  /**
   * Returns the configuration of a store in a directory. A missing store is created.
   *
   * @param directory the directory; null for a kind of store without a directory
   */
  public static StoreConfig in(@Nullable Path directory) {
    return new StoreConfig(directory, null, true, Clock.systemUTC());
  }

  /**
   * Returns the configuration of a store at an address: a folder of a file store, {@code
   * kind:folder}, or {@code kind://server/…}. A missing store is created.
   *
   * <p>A kind has at least two characters of {@code a-z}, {@code 0-9} and {@code -}. A single
   * letter before a colon is a drive, and text with a slash before the colon is a path.
   *
   * @throws dev.ralph.log.RalphException INVALID if the address has no place, or the place is
   *     neither a server nor a valid path
   */
  public static StoreConfig at(String address) {
    StoreLocation location = StoreLocation.of(address);
    return new StoreConfig(
        location.folder(),
        location.isServer() ? location.toString() : null,
        true,
        Clock.systemUTC());
  }

  /** Returns a copy that opens existing stores only. */
  public StoreConfig existing() {
    return new StoreConfig(directory, server, false, clock);
  }

  /** Returns a copy with another clock. */
  public StoreConfig clock(Clock clock) {
    Objects.requireNonNull(clock, "clock");
    return new StoreConfig(directory, server, create, clock);
  }

  /** Returns the directory without the kind of the address, or null if the store has none. */
  public @Nullable Path directory() {
    return directory;
  }

  /**
   * Returns the address of the store's server as {@code kind://server/…}, or null for a store in a
   * directory.
   */
  public @Nullable String server() {
    return server;
  }

  /** Returns whether a missing store is created. */
  public boolean mayCreate() {
    return create;
  }

  /** Returns the clock for ids and frames. */
  public Clock clock() {
    return clock;
  }
}
