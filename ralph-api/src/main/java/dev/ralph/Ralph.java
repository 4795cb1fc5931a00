package dev.ralph;

import dev.ralph.internal.StoreLocation;
import dev.ralph.log.Batch;
import dev.ralph.log.ClosedException;
import dev.ralph.log.Damage;
import dev.ralph.log.Draft;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Ledger;
import dev.ralph.log.Meta;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.StoreInfo.Capability;
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
 * An open store and its sessions.
 *
 * <pre>{@code
 * try (Ralph ralph = Ralph.open(Path.of(".ralph/store"))) {
 *   Session auth = ralph.session("auth-feature");
 *   auth.tasks().add("Write the login form");
 * }
 * }</pre>
 *
 * <p>Safe for use by many threads. Keep one instance, because sessions and views keep the state
 * that they have read. After {@link #close()} all objects of the instance throw {@link
 * ClosedException}.
 */
public interface Ralph extends AutoCloseable {

  /**
   * Opens the file store in a folder. A missing store is created.
   *
   * @throws RalphException as {@link Builder#open()}
   */
  static Ralph open(Path directory) {
    return builder().directory(directory).open();
  }

  /**
   * Opens the store of an address. A missing store is created.
   *
   * @param address an address in the form of {@link Builder#address}
   * @throws RalphException as {@link Builder#open()}
   */
  static Ralph open(String address) {
    return builder().address(address).open();
  }

  /**
   * Opens the existing file store in a folder.
   *
   * @throws NotFoundException if the folder has no store
   * @throws RalphException as {@link Builder#open()}
   */
  static Ralph openExisting(Path directory) {
    return builder().directory(directory).existing().open();
  }

  /** Opens a new store in memory, for tests and experiments. */
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

  /** Works like {@link #over(FrameStore)}, with another clock for decisions. */
  static Ralph over(FrameStore store, Clock clock) {
    return over(store, clock, Redactor.builtIn());
  }

  /** Works like {@link #over(FrameStore, Clock)}, with another redactor. */
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

  /** Returns a builder that opens any kind of store. */
  static Builder builder() {
    return new Builder();
  }

  /**
   * Returns the session with a name. The session need not exist; the first frame creates the
   * session. Further calls are cheap, and return views that share their state.
   *
   * @param name 1 to 127 letters, digits, {@code _} and {@code -}
   * @throws RalphException INVALID for any other name
   */
  Session session(String name);

  /** Returns the names of the existing sessions, sorted. */
  default List<String> sessions() {
    return sessions("", Integer.MAX_VALUE).stream().map(Session.Listed::name).toList();
  }

  /**
   * Returns a page of the existing sessions, sorted by name. Reads only the newest frame of each
   * session.
   *
   * @param after the last name of the previous page; empty for the first page
   * @param limit the largest number of sessions to return; 0 returns an empty page
   * @throws RalphException INVALID if the limit is negative
   */
  List<Session.Listed> sessions(String after, int limit);

  /** Returns whether a session exists: the session has frames and was not deleted. */
  boolean hasSession(String name);

  /**
   * Returns a view of a custom fold over one topic. Reuse the view, to keep the folded state.
   *
   * @throws RalphException as {@link #view(TopicFilter, Fold)}
   */
  default <S, R> View<R> view(Topic topic, Fold<S, R> fold) {
    Objects.requireNonNull(topic, "topic");
    return view(TopicFilter.of(topic), fold);
  }

  /**
   * Returns a view of a custom fold over several topics. Reuse the view, to keep the folded state.
   *
   * @throws RalphException INVALID if another fold with snapshots has the same name, version and
   *     topics: see {@link Fold#code()}
   */
  <S, R> View<R> view(TopicFilter filter, Fold<S, R> fold);

  /**
   * Returns a ledger of a custom fold over one topic. Reuse the ledger, to keep the folded state.
   *
   * @throws RalphException as {@link #ledger(TopicFilter, Fold)}
   */
  default <S, R> Ledger<R> ledger(Topic topic, Fold<S, R> fold) {
    Objects.requireNonNull(topic, "topic");
    return ledger(TopicFilter.of(topic), fold);
  }

  /**
   * Returns a ledger of a custom fold over several topics of one {@linkplain Topic#scope() scope}.
   * Reuse the ledger, to keep the folded state.
   *
   * @throws RalphException INVALID if the topics may have several scopes; otherwise as {@link
   *     #view(TopicFilter, Fold)}
   */
  <S, R> Ledger<R> ledger(TopicFilter filter, Fold<S, R> fold);

  /**
   * Appends one frame without a condition. The frame survives a power cut.
   *
   * @param content any text; may be empty
   * @return the new frame
   * @throws RalphException as {@link FrameLog#append} and {@link Draft#of}
   */
  default Frame append(Topic topic, Meta meta, String content) {
    return append(List.of(Draft.of(topic, meta, content))).get(0);
  }

  /**
   * Appends frames of one scope atomically, without a condition. The frames survive a power cut.
   *
   * @return the new frames, without imported frames that the store already had
   * @throws RalphException as {@link FrameLog#append} and {@link Batch#of}
   */
  List<Frame> append(List<Draft> drafts);

  /**
   * Appends frames like {@link #append(List)}, but without a sync: the frames survive the end of
   * the process, and may be lost in a power cut.
   */
  List<Frame> appendUnsynced(List<Draft> drafts);

  /**
   * Returns a topic whose frames contain values of one type.
   *
   * @param codec converts values to the content of frames, for example {@code JsonCodec} of the
   *     modules {@code ralph-jackson2} and {@code ralph-jackson3}
   */
  default <T> TypedTopic<T> topic(Topic topic, StepCodec<T> codec) {
    return TypedTopic.of(this, topic, codec);
  }

  /** Returns the log, to read, follow and append frames of any topic. */
  FrameLog log();

  /**
   * Returns the location of the store for the commands and the MCP server of agents, for the {@code
   * McpServerCommand} of {@code ralph-agents}. A store on a server, and a {@link
   * Capability#MULTI_PROCESS} store that the host has opened or wrapped itself, is served to
   * processes of this user on a socket in a private folder until this object is closed. So agents
   * need neither a connection to the server nor its password, and their frames pass through the
   * host's wrapper. For other stores, the result is the {@link StoreInfo} of {@link #log()}.
   *
   * @throws RalphException IO or UNSUPPORTED if the store can't be served; CLOSED after {@link
   *     #close()}
   */
  StoreInfo agentStore();

  /** Returns the clock of all decisions: leases, deadlines, limits of loops. */
  Clock clock();

  /** Returns the redactor, for hosts that keep output of agents elsewhere. */
  Redactor redactor();

  /**
   * Returns the damage found so far by reads through this object: by its sessions, its views, and
   * readers of its {@link #log()}. Damaged content is found when it is read. Results of these reads
   * lack the lost data. Each damage is listed once, in the order of discovery, until the data is
   * intact again. This method reads nothing; {@link FrameLog#verify()} checks the whole store.
   */
  List<Damage> damage();

  /**
   * Closes the store. Idempotent.
   *
   * <p>Close loops first. A running loop stops its agent within about a second, and its step fails
   * with CLOSED. The loop can't record the end. Therefore the next loop on the session finds an
   * interrupted iteration.
   */
  @Override
  void close();

  /** Opens a store. Not thread-safe. */
  final class Builder {

    private String kind = "file";
    private @Nullable Path directory;
    private @Nullable String address;
    private boolean existing;
    private Clock clock = Clock.systemUTC();
    private @Nullable Iterable<FrameStoreProvider> providers;
    private @Nullable Engine engine;
    private Redactor redactor = Redactor.builtIn();

    private Builder() {}

    /** Sets the kind of store by its provider's name; {@code file} if not set. */
    public Builder store(String kind) {
      this.kind = Objects.requireNonNull(kind, "kind");
      this.address = null;
      return this;
    }

    /** Sets the folder of the store. Kinds with a folder need this call or {@link #address}. */
    public Builder directory(Path directory) {
      this.directory = Objects.requireNonNull(directory, "directory");
      this.address = null;
      return this;
    }

    /**
     * Sets kind and place: a folder for a file store, {@code kind:folder}, or {@code
     * kind://server/…}.
     *
     * @throws RalphException INVALID if the place is missing, or is no valid path
     */
    public Builder address(String address) {
      StoreLocation location = StoreLocation.of(Objects.requireNonNull(address, "address"));
      this.kind = location.kind();
      this.directory = location.folder();
      this.address = address;
      return this;
    }

    /** Makes {@link #open()} fail if the store does not exist. */
    public Builder existing() {
      this.existing = true;
      return this;
    }

    /**
     * Sets the clock for frames, ids and decisions. Loops use a {@link dev.ralph.spi.MovableClock}
     * for their limits and pauses too.
     */
    public Builder clock(Clock clock) {
      this.clock = Objects.requireNonNull(clock, "clock");
      return this;
    }

    /**
     * Sets the providers. If not set, {@link ServiceLoader} finds the providers of the thread's
     * context class loader and of the library's class loader.
     */
    public Builder providers(Iterable<FrameStoreProvider> providers) {
      this.providers = Objects.requireNonNull(providers, "providers");
      return this;
    }

    /**
     * Sets the engine. If not set, {@link Engine#installed()} finds it, which takes a fifth of the
     * time of a short program.
     */
    public Builder engine(Engine engine) {
      this.engine = Objects.requireNonNull(engine, "engine");
      return this;
    }

    /**
     * Sets the redactor of text of agents; the built-in redactor if not set, {@link
     * Redactor#none()} for none.
     */
    public Builder redactor(Redactor redactor) {
      this.redactor = Objects.requireNonNull(redactor, "redactor");
      return this;
    }

    /**
     * Opens the store.
     *
     * @throws RalphException UNSUPPORTED if there is no provider with the name, or several; the
     *     message names the providers found. INVALID if the folder is an {@link #address} of
     *     another kind of store. Otherwise as {@link FrameStoreProvider#open}
     */
    public Ralph open() {
      Iterable<FrameStoreProvider> known = providers == null ? Library.providers() : providers;
      FrameStoreProvider provider = Library.provider(kind, known);
      if (directory != null) {
        Library.requireNoAddress(directory, known);
      }
      StoreConfig place = address == null ? StoreConfig.in(directory) : StoreConfig.at(address);
      StoreConfig config = place.clock(clock);
      Engine used = engine == null ? Engine.installed() : engine;
      FrameStore store = provider.open(existing ? config.existing() : config);
      return store instanceof ForwardingStore
          ? used.over(store, clock, redactor)
          : used.overProvided(store, clock, redactor);
    }
  }
}
