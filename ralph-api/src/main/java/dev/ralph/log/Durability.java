package dev.ralph.log;

/** The failures that an acknowledged append survives. */
public enum Durability {
  /** Survives a power cut. Concurrent appends share a sync. */
  SYNC,
  /** Survives the end of the process, also by {@code kill -9}, but no power cut. */
  OS
}
