package dev.ralph.tx;

import java.util.HashMap;
import java.util.Map;

/**
 * Distinguishes new messages from repeated messages under another file name or with another text.
 * Not safe for use by several threads at once.
 */
final class TxTexts {

  /** The relation of a file to earlier files. */
  enum Novelty {
    /** The id of the message is new: the message is to be delivered. */
    NEW,
    /** The same bytes were seen before, under this name or another name. */
    SAME,
    /**
     * The id of the message was seen before, with another text. The file is kept and not delivered.
     */
    OTHER_TEXT
  }

  private final Map<String, String> sums = new HashMap<>();

  /** Creates an empty instance. */
  TxTexts() {}

  /** Classifies a file by the earlier files, and remembers it. */
  Novelty classify(TxFile file) {
    String first = sums.putIfAbsent(file.id(), file.sha256());
    if (first == null) {
      return Novelty.NEW;
    }
    return first.equals(file.sha256()) ? Novelty.SAME : Novelty.OTHER_TEXT;
  }
}
