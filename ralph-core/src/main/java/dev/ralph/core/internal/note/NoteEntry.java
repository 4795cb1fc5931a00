package dev.ralph.core.internal.note;

import dev.ralph.domain.KeptText;
import dev.ralph.domain.Numbered;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A note in the state of the fold.
 *
 * @param about the subject in a few words, or null
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
