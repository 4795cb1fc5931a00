package dev.ralph.tx;

/**
 * Observations of files in the order of the log, with an index. Finds the observation of a file or
 * message.
 */
interface ObservationIndex {

  /** Returns the number of observations. */
  int size();

  /** Returns the observation at an index. */
  FileObservation get(int index);

  /** Returns the kind of the observation at an index, without decoding the rest. */
  TxEvent.Kind kind(int index);

  /** Returns the index of the last observation of a file name, or -1. */
  int ofFile(String name);

  /** Returns the index of the first ingested message with a msg-id, or -1. */
  int taken(String id);

  /** Returns the index of the first rejected message with a msg-id, or -1. */
  int refused(String id);

  /** Returns the indexes of ingested or rejected messages that answer a msg-id. */
  int[] answering(String id);
}
