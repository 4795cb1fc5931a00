package dev.ralph.store.support;

import dev.ralph.Frame;

/** A frame as a log holds it. */
public interface StoredFrame extends Frame {

  /** Returns the id of the batch that the frame was appended in. */
  String batchId();

  /** Returns whether anything of the frame lies beside the log. */
  boolean hasContentBeside();
}
