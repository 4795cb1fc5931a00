package dev.ralph.spi;

import dev.ralph.log.StoreLocation;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Where and how to open a store. */
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
   * Returns the configuration for a store in that directory, created if it is missing.
   *
   * @param directory null for a kind of store that has none
   */
  public static StoreConfig in(@Nullable Path directory) {
    return new StoreConfig(directory, null, true, Clock.systemUTC());
  }

  /**
   * Returns the configuration for a store at that location, in a folder or on a server, created if
   * it is missing.
   *
   * @throws dev.ralph.log.RalphException INVALID if the location can't be a folder's path
   */
  public static StoreConfig at(StoreLocation location) {
    return new StoreConfig(
        location.folder(),
        location.isServer() ? location.toString() : null,
        true,
        Clock.systemUTC());
  }

  /** Returns this configuration for a store that must exist. */
  public StoreConfig existing() {
    return new StoreConfig(directory, server, false, clock);
  }

  /** Returns this configuration with another source of time. */
  public StoreConfig clock(Clock clock) {
    Objects.requireNonNull(clock, "clock");
    return new StoreConfig(directory, server, create, clock);
  }

  /** Returns the directory, or null where there is none. */
  public @Nullable Path directory() {
    return directory;
  }

  /**
   * Returns the address of the server that holds the store, as {@link StoreLocation} writes it, or
   * null where there is none.
   */
  public @Nullable String server() {
    return server;
  }

  /** Returns whether a missing store is created. */
  public boolean mayCreate() {
    return create;
  }

  /** Returns the source of time for ids and frames. */
  public Clock clock() {
    return clock;
  }
}
