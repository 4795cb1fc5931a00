package dev.ralph.cli.call;

import dev.ralph.Redactor;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreLocation;
import dev.ralph.store.support.internal.folder.StoreRepository;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where a store is, and of what kind: {@code DIR}, {@code kind:DIR}, or {@code kind://SERVER/…}.
 *
 * @param place its kind and place, in full
 * @param directory its folder, or null if it is on a server
 * @param project where it was looked for, or null where its address was given
 * @param redactor takes secrets out of what agents say
 */
public record StoreAddress(
    StoreLocation place, @Nullable Path directory, @Nullable Project project, Redactor redactor) {

  private static final String USUAL_PATH = ".ralph/store";

  private static final String USUAL_KIND = "file";
  private static final String FLEETING_KIND = "memory";

  /**
   * Returns the address that was given, or the variable's; else that of the nearest store in the
   * current folder and those above it; else where one is to be made, in the current folder. A
   * variable holds in all folders, so a relative path in it is looked for in those above, too.
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
          "a store of kind " + FLEETING_KIND + " would end with this command; name another kind");
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
   * Returns this address if it was given or a store is there; else that of the store that all work
   * trees of the repository share, unless it is somebody else's; else this one.
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

  /** Returns whether nothing is where it would be. What a server has, it has to be asked. */
  boolean isAbsent() {
    return directory != null && Files.notExists(directory);
  }

  /** Returns whether the caller said where it is. */
  boolean isGiven() {
    return project == null;
  }

  /** Returns, for a message, where there is none. */
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

  /** Returns what is said of a store that belongs to somebody else, if there is one on the way. */
  String passedOver() {
    Path other = project == null ? null : project.passedOver();
    return other == null
        ? ""
        : " ("
            + RalphException.quote(other.toString())
            + " belongs to another user and is used only if --store names it)";
  }

  /**
   * Returns where there was a store once, of those places where this one is looked for, or null:
   * what keeps git from a store outlives it.
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

  /** Returns the address in full, as {@code --store} takes it from any folder. */
  public String location() {
    return place.toString();
  }
}
