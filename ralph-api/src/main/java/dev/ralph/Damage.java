package dev.ralph;

/**
 * A stretch of stored data that is not what was written.
 *
 * @param file where it is, as a path relative to the store, or a name that the store gives
 * @param offset where it begins, in bytes from the start of the file
 * @param bytes how long it is
 * @param frames how many frames are lost with it at the least
 * @param description what is wrong with it, in words
 */
public record Damage(String file, long offset, long bytes, long frames, String description) {

  @Override
  public String toString() {
    return file + " at byte " + offset + ", " + bytes + " bytes: " + description;
  }
}
