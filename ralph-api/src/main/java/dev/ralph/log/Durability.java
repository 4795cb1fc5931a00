package dev.ralph.log;

/** What an acknowledged append survives. */
public enum Durability {
  /** A power cut. Appends that wait at the same time share a sync. */
  SYNC,
  /** The end of the process, however it ends. */
  OS
}
