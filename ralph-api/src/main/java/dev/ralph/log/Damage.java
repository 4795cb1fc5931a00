package dev.ralph.log;

/**
 * A damaged range of stored data: the bytes differ from the bytes that were written.
 *
 * @param file the file, as a path relative to the store, or a name that the store chooses
 * @param offset the start of the range, in bytes from the start of the file
 * @param bytes the length of the range in bytes
 * @param frames the least number of frames that are lost
 * @param description a description of the damage for people
 */
public record Damage(String file, long offset, long bytes, long frames, String description) {

  /**
   * Returns the damage of a frame whose content, stored apart from the frame, is lost.
   *
   * @param failure the exception of {@link Frame#content()}
   */
  public static Damage ofContent(Frame frame, DamagedException failure) {
    String description = "of frame " + frame.id() + ": " + failure.getMessage();
    return new Damage("content", 0, 0, 1, description);
  }

  /** Returns the damage of a frame whose metadata is no JSON object. */
  public static Damage ofMeta(Frame frame) {
    return new Damage("log", 0, 0, 1, "of frame " + frame.id() + ": the meta data is not JSON");
  }

  @Override
  public String toString() {
    String where = offset == 0 && bytes == 0 ? "" : " at byte " + offset + ", " + bytes + " bytes";
    return file + where + ": " + description;
  }
}
