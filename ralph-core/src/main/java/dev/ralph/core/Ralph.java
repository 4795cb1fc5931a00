package dev.ralph.core;

import dev.ralph.Fold;
import dev.ralph.RalphException;
import dev.ralph.RalphException.Code;
import dev.ralph.Session;
import dev.ralph.Topic;
import dev.ralph.TopicFilter;
import dev.ralph.View;
import dev.ralph.core.internal.loop.LoopBuilder;
import dev.ralph.core.internal.memory.MemoryStoreProvider;
import dev.ralph.core.internal.prompt.PromptTemplate;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.core.internal.view.FoldView;
import dev.ralph.core.internal.view.Log;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

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
 * keep one instance for long; after {@link #close()} all that was got from it fails with CLOSED.
 */
public final class Ralph implements AutoCloseable {

  private final Log log;
  private final ConcurrentMap<String, LiveSession> sessions = new ConcurrentHashMap<>();

  private Ralph(Log log) {
    this.log = log;
  }

  /**
   * Opens the file store in that folder, which is made if it is missing.
   *
   * @throws RalphException as {@link Builder#open()} does
   */
  public static Ralph open(Path directory) {
    return builder().directory(directory).open();
  }

  /**
   * Opens the file store in that folder and creates nothing.
   *
   * @throws RalphException NOT_FOUND if there is none; else as {@link Builder#open()} does
   */
  public static Ralph openExisting(Path directory) {
    return builder().directory(directory).existing().open();
  }

  /** Opens a new store that is in memory only, for tests and experiments. */
  public static Ralph inMemory() {
    return builder().store(Builder.MEMORY).open();
  }

  /**
   * Returns the text of the template that a loop uses when it is given neither prompt nor template.
   */
  public static String builtInTemplate() {
    return PromptTemplate.builtInText();
  }

  /** Returns the version of this library, such as {@code 1.2.0}. */
  public static String version() {
    try (InputStream in = Ralph.class.getResourceAsStream("version")) {
      if (in == null) {
        throw new IllegalStateException("the library lacks its file version");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("the library's file version can't be read", e);
    }
  }

  /** Returns a builder for any other store. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns the session of that name. It need not exist: it comes into being with its first frame.
   * Asking again is cheap, and returns views that share what they have read.
   *
   * @param name 1 to 127 letters, digits, {@code _} and {@code -}
   * @throws RalphException INVALID for any other name
   */
  public Session session(String name) {
    LiveSession known = sessions.get(name);
    return known != null
        ? known
        : sessions.computeIfAbsent(
            name, missing -> new LiveSession(missing, log, LoopBuilder::new));
  }

  /** Returns the names of the sessions that have frames, sorted. */
  public List<String> sessions() {
    TreeSet<String> names = new TreeSet<>();
    for (Topic topic : log.store().topics(TopicFilter.parse("ralph.*"))) {
      String name = topic.name();
      int from = name.indexOf('.') + 1;
      int to = name.indexOf('.', from);
      if (to > 0) {
        names.add(name.substring(from, to));
      }
    }
    return List.copyOf(names);
  }

  /** Returns a view of your own over one topic. Keep it: it goes on with what it has read. */
  public <S, R> View<R> view(Topic topic, Fold<S, R> fold) {
    return view(TopicFilter.of(topic), fold);
  }

  /** Returns a view of your own over several topics. Keep it: it goes on with what it has read. */
  public <S, R> View<R> view(TopicFilter filter, Fold<S, R> fold) {
    return new FoldView<>(log.store(), filter, fold);
  }

  /** Returns the store, to read, follow and append frames of any topic. Do not close it. */
  public FrameStore store() {
    return log.store();
  }

  /** Closes the store. Closing again does nothing. */
  @Override
  public void close() {
    log.store().close();
  }

  /** Chooses a store. For one thread. */
  public static final class Builder {

    private static final String FILE = "file";
    private static final String MEMORY = "memory";

    private String kind = FILE;
    @Nullable private Path directory;
    private boolean existing;
    private Clock clock = Clock.systemUTC();
    @Nullable private Iterable<FrameStoreProvider> providers;

    private Builder() {}

    /** Chooses the kind of store by its provider's name; {@code file} if not set. */
    public Builder store(String kind) {
      this.kind = kind;
      return this;
    }

    /** Says where the store is; needed for all kinds but {@code memory}. */
    public Builder directory(Path directory) {
      this.directory = directory;
      return this;
    }

    /** Lets {@link #open()} fail if the store does not exist, rather than create it. */
    public Builder existing() {
      this.existing = true;
      return this;
    }

    /** Replaces the source of time for frames, ids and decisions. */
    public Builder clock(Clock clock) {
      this.clock = clock;
      return this;
    }

    /**
     * Gives the providers to choose from. If they are not set, {@link ServiceLoader} finds them by
     * the thread's context class loader, or by the loader of this library where there is none.
     */
    public Builder providers(Iterable<FrameStoreProvider> providers) {
      this.providers = providers;
      return this;
    }

    /**
     * Opens the store.
     *
     * @throws RalphException UNSUPPORTED if there is no provider of that name, or several, naming
     *     what was found; else as {@link FrameStoreProvider#open} says
     */
    public Ralph open() {
      FrameStoreProvider provider = provider();
      StoreConfig config = StoreConfig.in(directory).clock(clock);
      return new Ralph(new Log(provider.open(existing ? config.existing() : config), clock));
    }

    private FrameStoreProvider provider() {
      if (providers == null && kind.equals(MEMORY)) {
        return new MemoryStoreProvider();
      }
      List<FrameStoreProvider> found = new ArrayList<>();
      List<FrameStoreProvider> named = new ArrayList<>();
      try {
        for (FrameStoreProvider provider : providers == null ? discovered() : providers) {
          found.add(provider);
          if (provider.name().equals(kind)) {
            named.add(provider);
          }
        }
      } catch (ServiceConfigurationError broken) {
        throw new RalphException(
            Code.UNSUPPORTED,
            "a provider of stores can't be loaded: " + broken.getMessage(),
            broken);
      }
      if (named.size() == 1) {
        return named.get(0);
      }
      throw new RalphException(
          Code.UNSUPPORTED,
          (named.isEmpty() ? "no" : "more than one")
              + " provider of stores is named "
              + RalphException.quote(kind)
              + "; found "
              + (found.isEmpty()
                  ? "none at all: is the module that holds it on the class path?"
                  : found.stream()
                      .map(provider -> provider.name() + " (" + provider.getClass().getName() + ")")
                      .collect(Collectors.joining(", "))));
    }

    private static Iterable<FrameStoreProvider> discovered() {
      ClassLoader context = Thread.currentThread().getContextClassLoader();
      return ServiceLoader.load(
          FrameStoreProvider.class, context == null ? Ralph.class.getClassLoader() : context);
    }
  }
}
