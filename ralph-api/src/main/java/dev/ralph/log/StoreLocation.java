package dev.ralph.log;

import java.util.Objects;

/**
 * The kind and the folder of a store, as {@link StoreInfo#location()} and the command {@code ralph}
 * write them: a folder alone for a file store, or {@code kind:folder}.
 *
 * <p>A kind is two or more of {@code a-z}, {@code 0-9} and {@code -}; one letter before a colon is
 * a drive, and whatever holds a slash is a path.
 *
 * @param kind the name of the store's provider
 * @param folder the folder as it was written
 */
public record StoreLocation(String kind, String folder) {

  private static final String FILE = "file";

  /**
   * Checks kind and folder.
   *
   * @throws RalphException INVALID if the kind breaks the rule above or no folder is named
   */
  public StoreLocation {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(folder, "folder");
    if (!isKind(kind)) {
      throw RalphException.invalid(RalphException.quote(kind) + " is no kind of store");
    }
    if (folder.isEmpty()) {
      throw RalphException.invalid(
          "the address " + RalphException.quote(kind + ":") + " names no folder");
    }
  }

  /**
   * Returns the location that was written like that.
   *
   * @throws RalphException INVALID if it names no folder
   */
  public static StoreLocation of(String text) {
    Objects.requireNonNull(text, "text");
    return namesKind(text)
        ? new StoreLocation(
            text.substring(0, text.indexOf(':')), text.substring(text.indexOf(':') + 1))
        : new StoreLocation(FILE, text);
  }

  /** Returns whether a text is read as {@code kind:folder}, so that it can't be a folder alone. */
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

  /** Returns the location in the shortest form that {@link #of} takes. */
  @Override
  public String toString() {
    return kind.equals(FILE) && !namesKind(folder) ? folder : kind + ":" + folder;
  }
}
