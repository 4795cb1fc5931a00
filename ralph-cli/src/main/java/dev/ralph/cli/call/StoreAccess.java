package dev.ralph.cli.call;

import dev.ralph.Ralph;
import dev.ralph.RalphException;
import dev.ralph.Session;
import dev.ralph.log.Damage;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameLog;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.store.file.FileStoreProvider;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;

/** An open store. */
public final class StoreAccess implements AutoCloseable {

  private static final String CHRONICLE = "chronicle";

  private final Ralph ralph;
  private final List<Damage> damage;
  private final boolean isNew;

  private StoreAccess(Ralph ralph, List<Damage> damage, boolean isNew) {
    this.ralph = ralph;
    this.damage = damage;
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
    } catch (RalphException e) {
      if (e.code() == RalphException.Code.NOT_FOUND) {
        throw RalphException.notFound(
            "there is no store "
                + address.whereMissing()
                + "; give its folder by --store, or make one by ralph build,"
                + (address.isGiven()
                    ? " or by ralph task add or ralph import with --create"
                    : " ralph task add, or ralph import --create"));
      }
      throw e;
    }
  }

  /** Opens a store, made if it is missing. */
  public static StoreAccess orNew(StoreAddress address) {
    return open(address, builder(address), Files.notExists(address.directory()));
  }

  /** Opens an empty store in place of one that does not exist, and makes nothing. */
  static StoreAccess absent(StoreAddress address) {
    List<FrameStoreProvider> absent = List.of(new AbsentStoreProvider(address));
    return new StoreAccess(builder(address).providers(absent).open(), List.of(), true);
  }

  private static Ralph.Builder builder(StoreAddress address) {
    return Ralph.builder().store(address.kind()).directory(address.directory());
  }

  private static StoreAccess open(StoreAddress address, Ralph.Builder builder, boolean isNew) {
    List<Damage> damage = new ArrayList<>();
    if (address.kind().equals("file")) {
      // Looking for providers takes longer than all the rest of a short command, and this one is
      // known.
      List<FrameStoreProvider> known =
          List.of(new DamageNotingProvider(new FileStoreProvider(), damage));
      return new StoreAccess(builder.providers(known).open(), damage, isNew);
    }
    if (address.kind().equals("memory")) {
      return new StoreAccess(builder.open(), damage, isNew);
    }
    ServiceLoader<FrameStoreProvider> found =
        ServiceLoader.load(FrameStoreProvider.class, StoreAccess.class.getClassLoader());
    Iterable<FrameStoreProvider> noting =
        () ->
            noting(address.kind(), found.stream().map(ServiceLoader.Provider::get).toList(), damage)
                .iterator();
    return new StoreAccess(builder.providers(noting).open(), damage, isNew);
  }

  /**
   * Returns the providers; where several are of that name, the failure names them as they are.
   *
   * @throws UsageException if there is none of that name
   */
  private static List<FrameStoreProvider> noting(
      String kind, List<FrameStoreProvider> found, List<Damage> damage) {
    List<String> names = found.stream().map(FrameStoreProvider::name).sorted().toList();
    if (!names.contains(kind)) {
      throw missing(kind, names);
    }
    List<FrameStoreProvider> noting = new ArrayList<>(found);
    noting.replaceAll(
        each -> each.name().equals(kind) ? new DamageNotingProvider(each, damage) : each);
    boolean isOne = noting.stream().filter(DamageNotingProvider.class::isInstance).count() == 1;
    return isOne ? noting : found;
  }

  private static UsageException missing(String kind, List<String> names) {
    if (kind.equals(CHRONICLE)) {
      return new UsageException(
          "the store on Chronicle is not on the class path; call the launcher ralph, which puts it"
              + " there, with the store's address in --store or RALPH_STORE");
    }
    StringBuilder others = new StringBuilder();
    for (String name : names) {
      if (!Set.of("file", "memory", CHRONICLE).contains(name)) {
        others.append(", ").append(name).append(":DIR");
      }
    }
    return new UsageException(
        "there is no kind of store "
            + RalphException.quote(kind)
            + "; there are DIR (JSON lines in that folder), chronicle:DIR (a Chronicle queue)"
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

  /** Returns the damage that was met while reading. */
  List<Damage> damage() {
    return damage;
  }

  @Override
  public void close() {
    ralph.close();
  }
}
