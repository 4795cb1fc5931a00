package dev.ralph;

import dev.ralph.log.Batch;
import dev.ralph.log.ClosedException;
import dev.ralph.log.Damage;
import dev.ralph.log.Draft;
import dev.ralph.log.Durability;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Ledger;
import dev.ralph.log.Meta;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.StoreLocation;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.log.View;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * An open store, and the sessions in it.
 *
 * <pre>{@code
 * try (Ralph ralph = Ralph.open(Path.of(".ralph/store"))) {
 *   Session auth = ralph.session("auth-feature");
 *   auth.tasks().add("Write the login form");
 * }
 * }</pre>
 *
 * <p>Safe for use by many threads. Sessions and views go on with what they have read, so it pays to
 * keep one instance for long; after {@link #close()} all that was got from it throws {@link
 * ClosedException}.
 */
public interface Ralph extends AutoCloseable {

  /**
   * Opens the file store in that folder, which is made if it is missing.
   *
   * @throws RalphException as {@link Builder#open()} does
   */
  static Ralph open(Path directory) {
    return builder().directory(directory).open();
  }

  /**
   * Opens the store of that address, which is made if it is missing.
   *
   * @param address as {@link Builder#address} takes it
   * @throws RalphException as {@link Builder#open()} does
   */
  static Ralph open(String address) {
    return builder().address(address).open();
  }

  /**
   * Opens the file store in that folder and creates nothing.
   *
   * @throws NotFoundException if there is none
   * @throws RalphException as {@link Builder#open()} does
   */
  static Ralph openExisting(Path directory) {
    return builder().directory(directory).existing().open();
  }

  /** Opens a new store that is in memory only, for tests and experiments. */
  static Ralph inMemory() {
    return builder().store("memory").open();
  }

  /**
   * Returns the sessions of a store that the host has opened or wrapped itself. Closing the
   * sessions closes the store. Agents' commands reach the store on a socket, see {@link
   * #agentStore()}, so a wrapper sees their frames too.
   *
   * @throws RalphException UNSUPPORTED if the library's module {@code ralph-core} is missing
   */
  static Ralph over(FrameStore store) {
    return over(store, Clock.systemUTC());
  }

  /** Does what {@link #over(FrameStore)} does, with another source of time for decisions. */
  static Ralph over(FrameStore store, Clock clock) {
    return over(store, clock, Redactor.builtIn());
  }

  /**
   * Does what {@link #over(FrameStore, Clock)} does, with another redactor than the built-in one.
   */
  static Ralph over(FrameStore store, Clock clock, Redactor redactor) {
    Objects.requireNonNull(store, "store");
    Objects.requireNonNull(clock, "clock");
    Objects.requireNonNull(redactor, "redactor");
    return Engine.installed().over(store, clock, redactor);
  }

  /** Returns the version of this library, such as {@code 1.2.0}. */
  static String version() {
    return Library.version();
  }

  /** Returns a builder for any other store. */
  static Builder builder() {
    return new Builder();
  }

  /**
   * Returns the session of that name. It need not exist: it comes into being with its first frame.
   * Asking again is cheap, and returns views that share what they have read.
   *
   * @param name 1 to 127 letters, digits, {@code _} and {@code -}
   * @throws RalphException INVALID for any other name
   */
  Session session(String name);

  /** Returns the names of the sessions that have frames and were not deleted, sorted. */
  default List<String> sessions() {
    return sessions("", Integer.MAX_VALUE).stream().map(Session.Listed::name).toList();
  }

  /**
   * Returns a page of the sessions that have frames and were not deleted, by name. Of each session
   * only its newest frame is read.
   *
   * @param after the name that the page before ended with; empty for the first page
   * @param limit how many sessions to return at most, not negative
   */
  List<Session.Listed> sessions(String after, int limit);

  /** Returns whether the session of that name has frames and was not deleted. */
  boolean hasSession(String name);

  /**
   * Returns a view of your own over one topic. Keep it: it goes on with what it has read.
   *
   * @throws RalphException as {@link #view(TopicFilter, Fold)} does
   */
  default <S, R> View<R> view(Topic topic, Fold<S, R> fold) {
    Objects.requireNonNull(topic, "topic");
    return view(TopicFilter.of(topic), fold);
  }

  /**
   * Returns a view of your own over several topics. Keep it: it goes on with what it has read.
   *
   * @throws RalphException INVALID if another fold that keeps snapshots has the same name and
   *     version, and reads the same topics: see {@link Fold#code()}
   */
  <S, R> View<R> view(TopicFilter filter, Fold<S, R> fold);

  /**
   * Returns a state of your own over one topic, to be changed by deciding on it. Keep it: it goes
   * on with what it has read.
   *
   * @throws RalphException as {@link #ledger(TopicFilter, Fold)} does
   */
  default <S, R> Ledger<R> ledger(Topic topic, Fold<S, R> fold) {
    Objects.requireNonNull(topic, "topic");
    return ledger(TopicFilter.of(topic), fold);
  }

  /**
   * Returns a state of your own over several topics of one {@linkplain Topic#scope() scope}, to be
   * changed by deciding on it. Keep it: it goes on with what it has read.
   *
   * @throws RalphException INVALID if the topics may be of several scopes; else as {@link
   *     #view(TopicFilter, Fold)} does
   */
  <S, R> Ledger<R> ledger(TopicFilter filter, Fold<S, R> fold);

  /**
   * Appends one frame, whatever stands in the log, to survive a power cut.
   *
   * @param content any text; empty for none
   * @return the frame as it stands in the log
   * @throws RalphException as {@link FrameLog#append} and {@link Draft#of} do
   */
  default Frame append(Topic topic, Meta meta, String content) {
    return append(List.of(Draft.of(topic, meta, content)), Durability.SYNC).get(0);
  }

  /**
   * Appends frames of one scope, together or not at all, whatever stands in the log.
   *
   * @return the frames as they stand in the log, without imported ones that it held before
   * @throws RalphException as {@link FrameLog#append} and {@link Batch#of} do
   */
  List<Frame> append(List<Draft> drafts, Durability durability);

  /** Returns the log, to read, follow and append frames of any topic. */
  FrameLog log();

  /**
   * Returns the store as the commands of agents reach it, and their MCP server: for {@link
   * dev.ralph.tool.McpServerCommand}. A store on a server, and a {@link Capability#MULTI_PROCESS}
   * store that the host has opened or wrapped itself, is served to processes of this user on this
   * machine: on a socket in a private folder, until this object is closed. So agents need neither a
   * way to the server nor its password, and their frames pass through the host's wrapper. For any
   * other store this is the {@link StoreInfo} of {@link #log()}.
   *
   * @throws RalphException IO or UNSUPPORTED if it can't be served here; CLOSED after {@link
   *     #close()}
   */
  StoreInfo agentStore();

  /** Returns the clock by which everything here is decided: leases, deadlines, limits of loops. */
  Clock clock();

  /** Returns what takes secrets out of what agents say, for those who keep it in another way. */
  Redactor redactor();

  /**
   * Returns the damage that was met so far in reading through this object: by its sessions, its
   * views, and whatever reads its {@link #log()}: a lost content counts once it was asked for. If
   * there is any, what they showed lacks what was lost. Each piece is listed once, in the order in
   * which it was met, until it is found to be whole again. This reads nothing; {@link
   * FrameLog#verify()} looks for damage in the whole store.
   */
  List<Damage> damage();

  /**
   * Closes the store. Closing again does nothing.
   *
   * <p>Close loops first. A loop that still runs ends its agent within about a second, and its step
   * fails with CLOSED; it can't write how it ended, so the next loop on that session finds it cut
   * off.
   */
  @Override
  void close();

  /** Chooses a store. For one thread. */
  final class Builder {

    private String kind = "file";
    private @Nullable Path directory;
    private @Nullable StoreLocation location;
    private boolean existing;
    private Clock clock = Clock.systemUTC();
    private @Nullable Iterable<FrameStoreProvider> providers;
    private @Nullable Engine engine;
    private Redactor redactor = Redactor.builtIn();

    private Builder() {}

    /** Chooses the kind of store by its provider's name; {@code file} if not set. */
    public Builder store(String kind) {
      this.kind = Objects.requireNonNull(kind, "kind");
      this.location = null;
      return this;
    }

    /** Says where the store is; needed for all kinds but {@code memory}, which takes none. */
    public Builder directory(Path directory) {
      this.directory = Objects.requireNonNull(directory, "directory");
      this.location = null;
      return this;
    }

    /**
     * Says kind and place at once, as a {@link StoreLocation} is written: a folder for a file
     * store, {@code kind:folder}, or {@code kind://server/…}.
     *
     * @throws RalphException INVALID if no place is named, or it can't be a folder's path
     */
    public Builder address(String address) {
      StoreLocation location = StoreLocation.of(Objects.requireNonNull(address, "address"));
      this.kind = location.kind();
      this.directory = location.folder();
      this.location = location;
      return this;
    }

    /** Lets {@link #open()} fail if the store does not exist, rather than create it. */
    public Builder existing() {
      this.existing = true;
      return this;
    }

    /**
     * Replaces the source of time for frames, ids and decisions; a {@link
     * dev.ralph.spi.MovableClock} is also the time of loops.
     */
    public Builder clock(Clock clock) {
      this.clock = Objects.requireNonNull(clock, "clock");
      return this;
    }

    /**
     * Gives the providers to choose from. If they are not set, {@link ServiceLoader} finds them by
     * the thread's context class loader and by the loader of this library.
     */
    public Builder providers(Iterable<FrameStoreProvider> providers) {
      this.providers = Objects.requireNonNull(providers, "providers");
      return this;
    }

    /**
     * Gives the engine. If it is not set, {@link Engine#installed()} finds it, which takes a fifth
     * of a short program's time.
     */
    public Builder engine(Engine engine) {
      this.engine = Objects.requireNonNull(engine, "engine");
      return this;
    }

    /**
     * Replaces what takes secrets out of what agents say; the built-in one if not set, {@link
     * Redactor#none()} for nothing.
     */
    public Builder redactor(Redactor redactor) {
      this.redactor = Objects.requireNonNull(redactor, "redactor");
      return this;
    }

    /**
     * Opens the store.
     *
     * @throws RalphException UNSUPPORTED if there is no provider of that name, or several, naming
     *     what was found; INVALID if the folder is an {@link #address} of another kind of store;
     *     else as {@link FrameStoreProvider#open} says
     */
    public Ralph open() {
      Iterable<FrameStoreProvider> known = providers == null ? Library.providers() : providers;
      FrameStoreProvider provider = Library.provider(kind, known);
      if (directory != null) {
        Library.requireNoAddress(directory, known);
      }
      StoreConfig place = location == null ? StoreConfig.in(directory) : StoreConfig.at(location);
      StoreConfig config = place.clock(clock);
      Engine used = engine == null ? Engine.installed() : engine;
      FrameStore store = provider.open(existing ? config.existing() : config);
      return store instanceof ForwardingStore
          ? used.over(store, clock, redactor)
          : used.overProvided(store, clock, redactor);
    }
  }
}
