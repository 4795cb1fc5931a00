package dev.ralph.core.internal.note;

import dev.ralph.core.internal.reference.Referable;
import java.time.Instant;

/** One note as the fold keeps it. */
record NoteEntry(String id, int number, String type, String content, int iteration, Instant added)
    implements Referable {

  @Override
  public String title() {
    return content;
  }
}
