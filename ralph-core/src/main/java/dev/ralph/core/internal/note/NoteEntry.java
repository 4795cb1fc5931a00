package dev.ralph.core.internal.note;

import dev.ralph.domain.KeptText;
import dev.ralph.domain.Numbered;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One note as the fold keeps it.
 *
 * @param about what it is about, in a few words, or null
 */
record NoteEntry(
    String id,
    int number,
    String type,
    KeptText content,
    int iteration,
    @Nullable String about,
    Instant added)
    implements Numbered {

  @Override
  public String title() {
    return content.beginning();
  }
}
