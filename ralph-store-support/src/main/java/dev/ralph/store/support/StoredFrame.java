package dev.ralph.store.support;

import dev.ralph.log.Frame;
import org.jspecify.annotations.Nullable;

/** A frame as a log holds it. */
public interface StoredFrame extends Frame {

  /** Returns the id of the batch that the frame was appended in. */
  String batchId();

  /** Returns the address of the content if it lies beside the log, else null. */
  @Nullable String contentAddress();

  /** Returns whether two frames are equal; see {@link Frame}. */
  static boolean same(StoredFrame one, StoredFrame other) {
    return one.id().equals(other.id())
        && one.position().equals(other.position())
        && one.isErased() == other.isErased();
  }
}
