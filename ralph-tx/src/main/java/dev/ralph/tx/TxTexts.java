package dev.ralph.tx;

import java.util.HashMap;
import java.util.Map;

/**
 * Tells files that hold a message for the first time from those that hold it again: under another
 * name, or with another text. Not safe for use by several threads at once.
 */
final class TxTexts {

  /** What a file is beside those before it. */
  enum Sighting {
    /** Nobody has seen a message of that id: it is to be delivered. */
    NEW,
    /** The same bytes were there before, under this name or another. */
    SAME,
    /** A message of that id was there before, with another text. It is kept, and not delivered. */
    OTHER_TEXT
  }

  private final Map<String, String> sums = new HashMap<>();

  /** Makes one that has seen nothing. */
  TxTexts() {}

  /** Returns what the file is beside those before it, and remembers it. */
  Sighting see(TxFile file) {
    String first = sums.putIfAbsent(file.id(), file.sha256());
    if (first == null) {
      return Sighting.NEW;
    }
    return first.equals(file.sha256()) ? Sighting.SAME : Sighting.OTHER_TEXT;
  }
}
