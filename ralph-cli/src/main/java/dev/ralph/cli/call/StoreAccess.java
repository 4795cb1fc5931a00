package dev.ralph.cli.call;

import dev.ralph.Engine;
import dev.ralph.Ralph;
import dev.ralph.Redactor;
import dev.ralph.Session;
import dev.ralph.core.internal.engine.CoreEngine;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameLog;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.store.file.FileStoreProvider;
import dev.ralph.store.socket.internal.SocketStoreProvider;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An open store. */
public final class StoreAccess implements AutoCloseable {

  /** Known providers that are available only if the launcher adds them to the class path. */
  private static final Map<String, String> BESIDE =
      Map.of(
          "chronicle", "dev.ralph.store.chronicle.ChronicleStoreProvider",
          "postgres", "dev.ralph.store.postgres.PostgresStoreProvider");

  /** Created directly, because a search would take a fifth of a short command's time. */
  private static final Engine ENGINE = new CoreEngine();

  private final Ralph ralph;
  private final boolean isNew;

  private StoreAccess(Ralph ralph, boolean isNew) {
    this.ralph = ralph;
    this.isNew = isNew;
  }

  /**
   * Opens an existing store.
   *
   * @throws RalphException NOT_FOUND if the store does not exist; the message names the remedy
   */
  public static StoreAccess existing(StoreAddress address) {
    try {
      return open(address, builder(address).existing(), false);
    } catch (NotFoundException e) {
      if (address.place().kind().equals(SocketStoreProvider.NAME)) {
        throw e; // only the serving process can provide this store
      }
      String gone = deletedStore(address);
      throw RalphException.notFound(
          "no store "
              + address.whereMissing()
              + (gone == null ? "" : "; " + gone)
              + (address.isGiven() ? "; give" : "; change to the project's folder, give")
              + " the folder by --store, or create a store by ralph build,"
              + (address.isGiven()
                  ? " or by ralph task add, ralph mail send, ralph agent session init or ralph import"
                      + " with --create"
                  : " ralph task add, ralph mail send, ralph agent session init, or ralph import"
                      + " --create"));
    }
  }

  /** Returns a message about a store that existed before, or null if no store did. */
  public static @Nullable String deletedStore(StoreAddress address) {
    Path former = address.former();
    return former == null
        ? null
        : "the store at " + former + " was deleted, possibly by git clean -ffdx";
  }

  /** Opens a store, and creates a missing store. */
  public static StoreAccess orNew(StoreAddress address) {
    return open(address, builder(address), address.isAbsent());
  }

  /** Opens an empty store instead of a missing store. Creates no files. */
  public static StoreAccess absent(StoreAddress address) {
    return new StoreAccess(
        ENGINE.overProvided(new AbsentStore(address), Clock.systemUTC(), Redactor.builtIn()), true);
  }

  private static Ralph.Builder builder(StoreAddress address) {
    return Ralph.builder().engine(ENGINE).address(address.location()).redactor(address.redactor());
  }

  private static StoreAccess open(StoreAddress address, Ralph.Builder builder, boolean isNew) {
    return new StoreAccess(builder.providers(providers(address.place().kind())).open(), isNew);
  }

  /**
   * Returns the candidate providers.
   *
   * @throws UsageException if no provider has the name
   */
  private static List<FrameStoreProvider> providers(String kind) {
    if (kind.equals("file")) {
      // No search for providers, which would take longer than the rest of a short command.
      return List.of(new FileStoreProvider());
    }
    if (kind.equals(SocketStoreProvider.NAME)) {
      spareSearchForSelectors();
      return List.of(new SocketStoreProvider()); // agents of a loop call as often
    }
    String beside = BESIDE.get(kind);
    if (beside != null) {
      try {
        return List.of((FrameStoreProvider) Class.forName(beside).getConstructor().newInstance());
      } catch (ReflectiveOperationException notThere) {
        // the search below may find another provider
      }
    }
    List<FrameStoreProvider> found =
        ServiceLoader.load(FrameStoreProvider.class, StoreAccess.class.getClassLoader()).stream()
            .map(ServiceLoader.Provider::get)
            .toList();
    List<String> names = found.stream().map(FrameStoreProvider::name).sorted().toList();
    if (!names.contains(kind)) {
      throw missing(kind, names);
    }
    return found;
  }

  /**
   * Names the platform's own provider of selectors. Otherwise the platform would search the whole
   * jar for another provider, which takes a tenth of a short command's time.
   */
  private static void spareSearchForSelectors() {
    try {
      System.setProperty(
          "java.nio.channels.spi.SelectorProvider",
          Class.forName("sun.nio.ch.EPollSelectorProvider").getName());
    } catch (ClassNotFoundException notLinux) {
      // the platform searches
    }
  }

  private static UsageException missing(String kind, List<String> names) {
    if (BESIDE.containsKey(kind)) {
      return new UsageException(
          "the store on "
              + (kind.equals("postgres") ? "PostgreSQL" : "Chronicle")
              + " is not on the class path; start Ralph by the launcher ralph, with the address of"
              + " the store in --store or RALPH_STORE");
    }
    StringBuilder others = new StringBuilder();
    for (String name : names) {
      if (!Set.of("file", "memory", SocketStoreProvider.NAME).contains(name)
          && !BESIDE.containsKey(name)) {
        others.append(", ").append(name).append(":PLACE");
      }
    }
    return new UsageException(
        "unknown kind of store "
            + RalphException.quote(kind)
            + "; use DIR (folder of JSON lines), chronicle:DIR (Chronicle queue),"
            + " postgres://HOST/DATABASE (PostgreSQL)"
            + others
            + "; write ./NAME for a folder whose name has a colon");
  }

  /** Returns the store and its sessions. Do not close the result. */
  public Ralph ralph() {
    return ralph;
  }

  public Session session(String name) {
    return ralph.session(name);
  }

  /** Returns whether the store did not exist before. */
  boolean isNew() {
    return isNew;
  }

  /** Returns whether the store contains frames of a session. */
  public boolean hasSession(String name) {
    return ralph.hasSession(name);
  }

  /** Returns the sorted names of all sessions. */
  public List<String> sessions() {
    return ralph.sessions();
  }

  /** Returns the log of frames. */
  public FrameLog frames() {
    return ralph.log();
  }

  /**
   * Returns a frame by id.
   *
   * @throws RalphException NOT_FOUND if no frame has the id
   */
  public Frame frame(String id) {
    return ralph
        .log()
        .get(id)
        .orElseThrow(
            () ->
                RalphException.notFound(
                    "no frame with the id "
                        + RalphException.quote(id)
                        + "; ralph log lists the frames"));
  }

  /** Rethrows a failure while following a store, unless the store is temporarily unavailable. */
  public static void waitOut(RalphException failure) {
    if (failure.code() != RalphException.Code.UNAVAILABLE) {
      throw failure;
    }
  }

  @Override
  public void close() {
    ralph.close();
  }
}
