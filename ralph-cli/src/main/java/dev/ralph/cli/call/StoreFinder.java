package dev.ralph.cli.call;

import dev.ralph.cli.terminal.OutputException;
import dev.ralph.log.Damage;
import dev.ralph.log.NotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds and opens the store of a call. Warns about a store that is missing, damaged or tracked by
 * Git. Opens at most one store.
 */
public final class StoreFinder implements AutoCloseable {

  private final Environment environment;
  private final Arguments arguments;
  private @Nullable StoreAccess store;
  private @Nullable String news;
  private boolean isShared;
  private boolean askedGit;

  /**
   * @param arguments the arguments of the call, which may name the store
   */
  StoreFinder(Environment environment, Arguments arguments) {
    this.environment = environment;
    this.arguments = arguments;
  }

  /** Returns the names of the store's sessions; empty without a store. Creates no files. */
  public List<String> sessionsIfAny() {
    if (address().isAbsent()) {
      return List.of();
    }
    try {
      return open().sessions();
    } catch (NotFoundException noStore) {
      return List.of();
    }
  }

  /**
   * Returns the top folder of the project: the top of the Git work tree, else the folder with the
   * nearest store, else the current folder.
   */
  public Path projectTop() {
    for (Path at : environment.upward()) {
      if (Files.exists(at.resolve(".git"))) {
        return at;
      }
    }
    StoreAddress address = address();
    Path directory = address.directory();
    Path parent = directory == null ? null : directory.toAbsolutePath().getParent();
    Path top = parent == null ? null : parent.getParent(); // of the folder .ralph/store
    return address.isGiven() || top == null ? environment.directory() : top;
  }

  /** Searches for the store in the folder shared by all work trees of a repository. */
  public void share() {
    isShared = true;
  }

  /** Returns the address of the store. */
  public StoreAddress address() {
    StoreAddress address = StoreAddress.of(arguments.text("store"), environment);
    return isShared ? address.shared() : address;
  }

  /** Opens the store, which must exist unless {@code --create} is given. */
  public StoreAccess open() {
    return open(arguments.has("create"));
  }

  /**
   * Opens the store, and creates a missing store. {@link Invocation#reportCreation()} reports the
   * creation.
   */
  public StoreAccess openOrCreate() {
    return open(true);
  }

  private StoreAccess open(boolean mayCreate) {
    if (store == null) {
      StoreAddress address = address();
      boolean mayBeTracked = mayBeTracked(address);
      if (mayCreate) {
        warnIfGone(address);
      }
      store = mayCreate ? StoreAccess.orNew(address) : StoreAccess.existing(address);
      if (mayBeTracked) {
        warnIfTracked();
      }
      if (store.isNew() && !arguments.has("create")) {
        news = "created the store " + address.location() + address.passedOver();
      }
    }
    return store;
  }

  /** Warns if the store is missing but existed earlier. */
  private void warnIfGone(StoreAddress address) {
    if (address.isAbsent()) {
      String gone = StoreAccess.deletedStore(address);
      if (gone != null) {
        environment.warn("warning: " + gone);
      }
    }
  }

  /**
   * Returns whether the store has no {@code .gitignore} yet, because the store is new or from an
   * old version.
   */
  private static boolean mayBeTracked(StoreAddress address) {
    Path directory = address.directory();
    return directory != null && Files.notExists(directory.resolve(".gitignore"));
  }

  /**
   * Warns if git tracks files of the store; at most once. Running git takes longer than a short
   * command should.
   */
  public void warnIfTracked() {
    if (askedGit) {
      return;
    }
    askedGit = true;
    Path directory = address().directory();
    String warning = directory == null ? null : GitFiles.warning(directory);
    if (warning != null) {
      environment.warn("warning: " + warning);
    }
  }

  /** Opens the store. A missing store is created unless the caller gave its address. */
  public StoreAccess openToBegin() {
    return store == null && !address().isGiven() ? openOrCreate() : open();
  }

  /** Opens the store, or an empty store if it does not exist. Creates no files. */
  public StoreAccess openIfAny() {
    try {
      return open();
    } catch (NotFoundException e) {
      warnIfGone(address());
      store = StoreAccess.absent(address());
      return store;
    }
  }

  /** Sets the report of a newly created store or session. */
  void announce(String report) {
    news = report;
  }

  /** Prints the report of a newly created store or session once. */
  void reportCreation() {
    if (news != null) {
      environment.warn(news);
      news = null;
    }
  }

  /** Warns about damage found in the store, and closes the store. */
  @Override
  public void close() {
    if (store == null) {
      return;
    }
    try {
      List<Damage> damage = store.ralph().damage();
      if (!damage.isEmpty()) {
        environment.warn(
            "warning: the store is damaged ("
                + damage.get(0)
                + (damage.size() > 1 ? ", and " + (damage.size() - 1) + " more" : "")
                + "); lost frames are not shown; see ralph verify");
        environment.err().flush();
      }
    } catch (OutputException nobodyReads) {
      // The failed warning does not change the result of the command.
    } finally {
      store.close();
    }
  }
}
