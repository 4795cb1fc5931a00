package dev.ralph.internal;

import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The kind and the place of a store, in the form of {@link StoreInfo#location()} and of the command
 * {@code ralph}: a folder for a file store, otherwise {@code kind:place}. The place is a folder, or
 * the address of a server if it begins with {@code //}: {@code postgres://host/database}.
 *
 * <p>A kind has at least two characters of {@code a-z}, {@code 0-9} and {@code -}. A single letter
 * before a colon is a drive, and text with a slash before the colon is a path.
 *
 * @param kind the name of the store's provider
 * @param place the folder or the address, as written
 */
public record StoreLocation(String kind, String place) {

  private static final String FILE = "file";

  /**
   * Validates the kind and the place.
   *
   * @throws RalphException INVALID if the kind is malformed or the place is empty
   */
  public StoreLocation {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(place, "place");
    if (!isKind(kind)) {
      throw RalphException.invalid(RalphException.quote(kind) + " is not a kind of store");
    }
    if (place.isEmpty()) {
      throw RalphException.invalid(
          "the address " + RalphException.quote(kind + ":") + " has no folder");
    }
  }

  /**
   * Parses a location.
   *
   * @throws RalphException INVALID if the text names no place
   */
  public static StoreLocation of(String text) {
    Objects.requireNonNull(text, "text");
    return namesKind(text)
        ? new StoreLocation(
            text.substring(0, text.indexOf(':')), text.substring(text.indexOf(':') + 1))
        : new StoreLocation(FILE, text);
  }

  /** Returns whether {@link #of} reads the text as {@code kind:place} and not as a folder. */
  public static boolean namesKind(String text) {
    Objects.requireNonNull(text, "text");
    int colon = text.indexOf(':');
    return colon > 0 && isKind(text.substring(0, colon));
  }

  /** Uses no stream, because the first stream of a process delays short commands. */
  private static boolean isKind(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-') {
        return false;
      }
    }
    return text.length() > 1;
  }

  /** Returns whether the place is the address of a server. */
  public boolean isServer() {
    return !kind.equals(FILE) && place.startsWith("//");
  }

  /**
   * Returns the place as a folder, or null if it is a server's address.
   *
   * @throws RalphException INVALID if the place is no valid path
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

  /** Returns the location in the shortest form that {@link #of} accepts. */
  @Override
  public String toString() {
    return kind.equals(FILE) && !namesKind(place) ? place : kind + ":" + place;
  }
}
