package dev.ralph.transfer;

import org.jspecify.annotations.Nullable;

/**
 * Why a frame is not in the store as the file has it.
 *
 * @param line where it stands in the file, from 1
 * @param id the frame's, or null where the problem is of more than one frame
 * @param kind what sort of problem it is
 * @param description what is wrong, in words
 */
public record ImportProblem(long line, @Nullable String id, Kind kind, String description) {

  /** Sorts of problems. More may be added. */
  public enum Kind {
    /** A topic, or a session's name in it, that can't be one here. Nothing was imported. */
    TOPIC,
    /** Meta data that can't be kept. Nothing was imported. */
    META,
    /** Content that is missing, damaged, no text or too large. */
    CONTENT,
    /** The file has another frame of that id before. Nothing was imported. */
    REPEATED,
    /** The store held another frame of that id before, which was left as it is. */
    DIFFERS,
    /** The store does not hold the frame, though it was appended. */
    LOST
  }

  @Override
  public String toString() {
    return "line " + line + (id == null ? "" : ", frame " + id) + ": " + description;
  }
}
