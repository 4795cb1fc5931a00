package dev.ralph.tx;

/** Sightings in the order of the log, each with an index, and where to find one among them. */
interface Sighted {

  /** Returns how many there are. */
  int size();

  /** Returns the one at that index. */
  Sighting get(int index);

  /** Returns what the one at that index says, without reading all of it. */
  TxEvent.Kind kind(int index);

  /** Returns the index of the last one of a file of that name, or -1. */
  int ofFile(String name);

  /** Returns the index of the first one that was taken up under that msg-id, or -1. */
  int taken(String id);

  /** Returns the index of the first one that was refused under that msg-id, or -1. */
  int refused(String id);

  /** Returns the indexes of those that were taken up or refused and answer that msg-id. */
  int[] answering(String id);
}
