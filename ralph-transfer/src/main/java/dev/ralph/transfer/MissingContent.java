package dev.ralph.transfer;

/** What becomes of a frame whose content can't be had. */
public enum MissingContent {
  /** Nothing is imported, and every such frame is listed. */
  REFUSE,
  /**
   * The frame is imported without content, and its meta data says {@code "content_missing"} with
   * the hash of what it was.
   */
  EMPTY
}
