package dev.ralph.cli.call;

import dev.ralph.Redactor;
import dev.ralph.internal.StoreLocation;
import dev.ralph.log.RalphException;
import dev.ralph.store.support.internal.folder.StoreRepository;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The address and kind of a store: {@code DIR}, {@code kind:DIR}, or {@code kind://SERVER/…}.
 *
 * @param place the kind and the full place
 * @param directory the folder, or null for a store on a server
 * @param project the searched folders, or null for a given address
 * @param redactor removes secrets from the texts of agents
 */
public record StoreAddress(
    StoreLocation place, @Nullable Path directory, @Nullable Project project, Redactor redactor) {

  private static final String USUAL_PATH = ".ralph/store";

  private static final String USUAL_KIND = "file";
  private static final String FLEETING_KIND = "memory";

  /**
   * Resolves the address from the option, from the variable, or from the nearest store in the
   * current folder and its ancestors. Without a store the address is a new store in the current
   * folder. The variable applies in all folders, so its relative path is also searched in the
   * ancestors.
   */
  public static StoreAddress of(@Nullable String given, Environment environment) {
    String text = given;
    Redactor redactor = Redaction.of(environment);
    if (text == null) {
      text = environment.variable("RALPH_STORE");
    }
    if (text == null) {
      Project project = new Project(environment);
      Path found = project.find(USUAL_PATH);
      return inFolder(
          USUAL_KIND, found == null ? environment.path(USUAL_PATH) : found, project, redactor);
    }
    if (text.isEmpty()) {
      throw new UsageException(
          "--store must not be empty; leave it out for the nearest " + USUAL_PATH);
    }
    StoreLocation location = location(text);
    if (location.kind().equals(FLEETING_KIND)) {
      throw new UsageException(
          "a store of kind " + FLEETING_KIND + " ends with this command; use a persistent store");
    }
    if (location.isServer()) {
      return new StoreAddress(location, null, null, redactor);
    }
    Path directory = environment.path(location.place());
    Path above = given == null ? above(location.place(), environment) : null;
    return inFolder(location.kind(), above == null ? directory : above, null, redactor);
  }

  private static StoreAddress inFolder(
      String kind, Path directory, @Nullable Project project, Redactor redactor) {
    StoreLocation place = new StoreLocation(kind, directory.toString());
    return new StoreAddress(place, directory, project, redactor);
  }

  private static @Nullable Path above(String folder, Environment environment) {
    Path path = Path.of(folder).normalize();
    return path.isAbsolute() || path.startsWith("..") || path.toString().isEmpty()
        ? null
        : new Project(environment).find(path.toString());
  }

  /**
   * Returns this address if it was given or its store exists. Otherwise returns the address of the
   * store shared by all work trees, unless another user owns that store.
   */
  StoreAddress shared() {
    if (project == null || !isAbsent()) {
      return this;
    }
    Path home = GitFolder.home(project.folders());
    return home == null || !project.mayUse(home, USUAL_PATH)
        ? this
        : inFolder(USUAL_KIND, home.resolve(USUAL_PATH), project, redactor);
  }

  private static StoreLocation location(String text) {
    try {
      return StoreLocation.of(text);
    } catch (RalphException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  /** Returns whether the folder of the store does not exist; false for a store on a server. */
  boolean isAbsent() {
    return directory != null && Files.notExists(directory);
  }

  /** Returns whether the caller gave the address. */
  boolean isGiven() {
    return project == null;
  }

  /** Returns the searched places for a message about a missing store. */
  String whereMissing() {
    if (project == null) {
      return "at " + RalphException.quote(directory == null ? location() : directory.toString());
    }
    String above =
        project.top().equals(project.directory())
            ? ""
            : " or a folder above it, up to " + RalphException.quote(project.top().toString());
    return "in " + RalphException.quote(project.directory().toString()) + above + passedOver();
  }

  /** Returns the message part about an ignored store of another user, or an empty text. */
  String passedOver() {
    Path other = project == null ? null : project.passedOver();
    return other == null
        ? ""
        : " ("
            + RalphException.quote(other.toString())
            + " belongs to another user; use --store to select it)";
  }

  /**
   * Returns the searched place where a store existed before, or null. The files that make git
   * ignore a store survive its deletion.
   */
  @Nullable Path former() {
    if (directory != null && StoreRepository.wasIn(directory)) {
      return directory;
    }
    if (project != null) {
      for (Path folder : project.folders()) {
        Path store = folder.resolve(USUAL_PATH);
        if (StoreRepository.wasIn(store)) {
          return store;
        }
        if (folder.equals(project.top())) {
          break;
        }
      }
    }
    return null;
  }

  /** Returns the full address, which {@code --store} accepts in any folder. */
  public String location() {
    return place.toString();
  }
}
