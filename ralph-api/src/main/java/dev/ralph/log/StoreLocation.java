package dev.ralph.log;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The kind and the place of a store, as {@link StoreInfo#location()} and the command {@code ralph}
 * write them: a folder alone for a file store, else {@code kind:place}. The place is a folder, or,
 * where it begins with {@code //}, the address of a server: {@code postgres://host/database}.
 *
 * <p>A kind is two or more of {@code a-z}, {@code 0-9} and {@code -}; one letter before a colon is
 * a drive, and whatever holds a slash is a path.
 *
 * @param kind the name of the store's provider
 * @param place the folder or the address as it was written
 */
public record StoreLocation(String kind, String place) {

  private static final String FILE = "file";

  /**
   * Checks kind and place.
   *
   * @throws RalphException INVALID if the kind breaks the rule above or no place is named
   */
  public StoreLocation {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(place, "place");
    if (!isKind(kind)) {
      throw RalphException.invalid(RalphException.quote(kind) + " is no kind of store");
    }
    if (place.isEmpty()) {
      throw RalphException.invalid(
          "the address " + RalphException.quote(kind + ":") + " names no folder");
    }
  }

  /**
   * Returns the location that was written like that.
   *
   * @throws RalphException INVALID if it names no place
   */
  public static StoreLocation of(String text) {
    Objects.requireNonNull(text, "text");
    return namesKind(text)
        ? new StoreLocation(
            text.substring(0, text.indexOf(':')), text.substring(text.indexOf(':') + 1))
        : new StoreLocation(FILE, text);
  }

  /** Returns whether a text is read as {@code kind:place}, so that it can't be a folder alone. */
  public static boolean namesKind(String text) {
    Objects.requireNonNull(text, "text");
    int colon = text.indexOf(':');
    return colon > 0 && isKind(text.substring(0, colon));
  }

  /** Without a stream: the first one of a process costs more than all else that is done here. */
  private static boolean isKind(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-') {
        return false;
      }
    }
    return text.length() > 1;
  }

  /** Returns whether the place is the address of a server, so that it is no folder. */
  public boolean isServer() {
    return !kind.equals(FILE) && place.startsWith("//");
  }

  /**
   * Returns the place as a folder, or null if it is a server's address.
   *
   * @throws RalphException INVALID if the text can't be a path
   */
  public @Nullable Path folder() {
    if (isServer()) {
      return null;
    }
    try {
      return Path.of(place);
    } catch (InvalidPathException e) {
      throw RalphException.invalid(RalphException.quote(place) + " can't be a folder's path", e);
    }
  }

  /** Returns the location in the shortest form that {@link #of} takes. */
  @Override
  public String toString() {
    return kind.equals(FILE) && !namesKind(place) ? place : kind + ":" + place;
  }
}
