package dev.ralph.log;

/**
 * A stretch of stored data that is not what was written.
 *
 * @param file where it is, as a path relative to the store, or a name that the store gives
 * @param offset where it begins, in bytes from the start of the file
 * @param bytes how long it is
 * @param frames how many frames are lost with it, at least
 * @param description what is wrong with it, in words
 */
public record Damage(String file, long offset, long bytes, long frames, String description) {

  /**
   * Returns the damage of a frame that is whole but for its content, which lies elsewhere.
   *
   * @param failure what {@link Frame#content()} failed with
   */
  public static Damage ofContent(Frame frame, DamagedException failure) {
    String description = "of frame " + frame.id() + ": " + failure.getMessage();
    return new Damage("content", 0, 0, 1, description);
  }

  /**
   * Returns the damage of a frame that is whole but for its meta data, which are no JSON object.
   */
  public static Damage ofMeta(Frame frame) {
    return new Damage("log", 0, 0, 1, "of frame " + frame.id() + ": its meta data are no JSON");
  }

  @Override
  public String toString() {
    String where = offset == 0 && bytes == 0 ? "" : " at byte " + offset + ", " + bytes + " bytes";
    return file + where + ": " + description;
  }
}
