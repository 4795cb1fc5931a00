package dev.ralph.core.internal.note;

import dev.ralph.Note;
import java.time.Instant;

/** One note. */
final class NoteEntry implements Note {

  private final String id;
  private final String type;
  private final String content;
  private final int iteration;
  private final Instant added;

  NoteEntry(String id, String type, String content, int iteration, Instant added) {
    this.id = id;
    this.type = type;
    this.content = content;
    this.iteration = iteration;
    this.added = added;
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public String type() {
    return type;
  }

  @Override
  public String content() {
    return content;
  }

  @Override
  public int iteration() {
    return iteration;
  }

  @Override
  public Instant added() {
    return added;
  }

  @Override
  public String toString() {
    return "[" + type + "] " + content;
  }
}
