package dev.ralph.cli;

import java.nio.file.Path;
import javax.annotation.Nullable;

/**
 * Where a store is, and of what kind: {@code DIR}, or {@code kind:DIR}.
 *
 * @param kind the name of its provider
 * @param directory where it is
 */
record StoreAddress(String kind, Path directory) {

  private static final String USUAL_KIND = "file";
  private static final String FLEETING_KIND = "memory";

  /** Returns the address that was given, or the variable's, or the usual one. */
  static StoreAddress of(@Nullable String given, Environment environment) {
    String text = given;
    if (text == null) {
      text = environment.variable("RALPH_STORE");
    }
    if (text == null) {
      text = "./.ralph/store";
    }
    if (text.isEmpty()) {
      throw new UsageException("--store must not be empty; leave it out for ./.ralph/store");
    }
    int colon = text.indexOf(':');
    // One letter before a colon is a drive, and whatever holds a slash is a path.
    if (colon > 1 && isKind(text.substring(0, colon))) {
      String directory = text.substring(colon + 1);
      if (directory.isEmpty()) {
        throw new UsageException("--store " + text + " names no folder after the colon");
      }
      if (text.startsWith(FLEETING_KIND + ":")) {
        throw new UsageException(
            "a store of kind " + FLEETING_KIND + " would end with this command; name another kind");
      }
      return new StoreAddress(text.substring(0, colon), environment.path(directory));
    }
    return new StoreAddress(USUAL_KIND, environment.path(text));
  }

  /** Returns the address in full, as {@code --store} takes it from any folder. */
  String location() {
    return kind.equals(USUAL_KIND) ? directory.toString() : kind + ":" + directory;
  }

  private static boolean isKind(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < 'a' || c > 'z') && (c < '0' || c > '9')) {
        return false;
      }
    }
    return true;
  }
}
