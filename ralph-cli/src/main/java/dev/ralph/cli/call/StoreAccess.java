package dev.ralph.cli.call;

import dev.ralph.Engine;
import dev.ralph.Ralph;
import dev.ralph.Redactor;
import dev.ralph.Session;
import dev.ralph.core.engine.CoreEngine;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameLog;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.store.file.FileStoreProvider;
import dev.ralph.store.socket.SocketStoreProvider;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An open store. */
public final class StoreAccess implements AutoCloseable {

  /** Known as well, but there only if the launcher put them on the class path. */
  private static final Map<String, String> BESIDE =
      Map.of(
          "chronicle", "dev.ralph.store.chronicle.ChronicleStoreProvider",
          "postgres", "dev.ralph.store.postgres.PostgresStoreProvider");

  /** Looking for it would take a fifth of a short command's time. */
  private static final Engine ENGINE = new CoreEngine();

  private final Ralph ralph;
  private final boolean isNew;

  private StoreAccess(Ralph ralph, boolean isNew) {
    this.ralph = ralph;
    this.isNew = isNew;
  }

  /**
   * Opens a store that exists.
   *
   * @throws RalphException NOT_FOUND if it does not, saying what to do
   */
  public static StoreAccess existing(StoreAddress address) {
    try {
      return open(address, builder(address).existing(), false);
    } catch (NotFoundException e) {
      if (address.place().kind().equals(SocketStoreProvider.NAME)) {
        throw e; // nobody but who served it could make it be there
      }
      String gone = gone(address);
      throw RalphException.notFound(
          "there is no store "
              + address.whereMissing()
              + (gone == null ? "" : "; " + gone)
              + "; give its folder by --store, or make one by ralph build,"
              + (address.isGiven()
                  ? " or by ralph task add, ralph mail send, ralph agent session init or ralph import"
                      + " with --create"
                  : " ralph task add, ralph mail send, ralph agent session init, or ralph import"
                      + " --create"));
    }
  }

  /** Returns what to tell of a store that was there once, or null if there was none. */
  public static @Nullable String gone(StoreAddress address) {
    Path former = address.former();
    return former == null
        ? null
        : "there was a store at "
            + former
            + ", which is gone: somebody deleted it, or git clean -ffdx did";
  }

  /** Opens a store, made if it is missing. */
  public static StoreAccess orNew(StoreAddress address) {
    return open(address, builder(address), address.isAbsent());
  }

  /** Opens an empty store in place of one that does not exist, and makes nothing. */
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
   * Returns the providers to choose from.
   *
   * @throws UsageException if there is none of that name
   */
  private static List<FrameStoreProvider> providers(String kind) {
    if (kind.equals("file")) {
      // Looking for providers takes longer than all the rest of a short command, and this one is
      // known.
      return List.of(new FileStoreProvider());
    }
    if (kind.equals(SocketStoreProvider.NAME)) {
      spareSearchForSelectors();
      return List.of(new SocketStoreProvider()); // the agents of a loop call it as often
    }
    String beside = BESIDE.get(kind);
    if (beside != null) {
      try {
        return List.of((FrameStoreProvider) Class.forName(beside).getConstructor().newInstance());
      } catch (ReflectiveOperationException notThere) {
        // then there may be another one of that name
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
   * The platform reads the whole table of our jar in search of another provider of selectors, which
   * takes a tenth of a short command's time, unless one is named. This is its own.
   */
  private static void spareSearchForSelectors() {
    try {
      System.setProperty(
          "java.nio.channels.spi.SelectorProvider",
          Class.forName("sun.nio.ch.EPollSelectorProvider").getName());
    } catch (ClassNotFoundException notLinux) {
      // then it searches
    }
  }

  private static UsageException missing(String kind, List<String> names) {
    if (BESIDE.containsKey(kind)) {
      return new UsageException(
          "the store on "
              + (kind.equals("postgres") ? "PostgreSQL" : "Chronicle")
              + " is not on the class path; call the launcher ralph, which puts it there, with the"
              + " store's address in --store or RALPH_STORE");
    }
    StringBuilder others = new StringBuilder();
    for (String name : names) {
      if (!Set.of("file", "memory", SocketStoreProvider.NAME).contains(name)
          && !BESIDE.containsKey(name)) {
        others.append(", ").append(name).append(":PLACE");
      }
    }
    return new UsageException(
        "there is no kind of store "
            + RalphException.quote(kind)
            + "; there are DIR (JSON lines in that folder), chronicle:DIR (a Chronicle queue),"
            + " postgres://HOST/DATABASE (PostgreSQL)"
            + others
            + "; a folder whose name has a colon is written ./NAME");
  }

  /** Returns the store and its sessions. Do not close it. */
  public Ralph ralph() {
    return ralph;
  }

  public Session session(String name) {
    return ralph.session(name);
  }

  /** Returns whether there was no store before this one was opened. */
  boolean isNew() {
    return isNew;
  }

  /** Returns whether there is anything of that session. */
  public boolean hasSession(String name) {
    return ralph.hasSession(name);
  }

  /** Returns the names of the sessions in it, sorted. */
  public List<String> sessions() {
    return ralph.sessions();
  }

  /** Returns the frames themselves. */
  public FrameLog frames() {
    return ralph.log();
  }

  /**
   * Returns the frame of that id.
   *
   * @throws RalphException NOT_FOUND if there is none
   */
  public Frame frame(String id) {
    return ralph
        .log()
        .get(id)
        .orElseThrow(
            () ->
                RalphException.notFound(
                    "there is no frame with the id "
                        + RalphException.quote(id)
                        + "; ralph log shows them"));
  }

  /** Throws a failure of something that is followed, unless its store can't be reached for now. */
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
