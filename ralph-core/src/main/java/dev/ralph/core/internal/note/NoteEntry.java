package dev.ralph.core.internal.note;

import dev.ralph.domain.KeptText;
import dev.ralph.domain.Numbered;
import java.time.Instant;

/** One note as the fold keeps it. */
record NoteEntry(String id, int number, String type, KeptText content, int iteration, Instant added)
    implements Numbered {

  @Override
  public String title() {
    return content.beginning();
  }
}
