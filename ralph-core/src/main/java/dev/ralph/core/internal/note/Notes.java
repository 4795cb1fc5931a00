package dev.ralph.core.internal.note;

import dev.ralph.Note;
import dev.ralph.core.internal.json.JsonProfile;
import dev.ralph.core.internal.json.SessionJson;
import dev.ralph.domain.NumberedList;
import dev.ralph.domain.NumberedState;
import dev.ralph.domain.TextSource;
import dev.ralph.log.Meta;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All notes of a session at one moment. Immutable; safe for use by many threads. */
public final class Notes extends NumberedList<NoteEntry, Note> {

  private final TextSource texts;

  Notes(NumberedState<NoteEntry> state, TextSource texts) {
    super(state, "note", 'n');
    this.texts = texts;
  }

  @Override
  public Note view(int index) {
    return new NoteView(index);
  }

  /** The view of a note. */
  private final class NoteView extends Shown implements Note {

    NoteView(int index) {
      super(index);
    }

    @Override
    public Meta json() {
      return SessionJson.note(this, JsonProfile.FULL);
    }

    @Override
    public String type() {
      return entry.type();
    }

    @Override
    public String content() {
      return texts.whole(entry.id(), entry.content());
    }

    @Override
    public String beginning(int characters) {
      return texts.beginning(entry.id(), entry.content(), characters);
    }

    @Override
    public int length() {
      return entry.content().length();
    }

    @Override
    public int iteration() {
      return entry.iteration();
    }

    @Override
    public @Nullable String about() {
      return entry.about();
    }

    @Override
    public Instant added() {
      return entry.added();
    }

    @Override
    protected List<?> values() {
      return Arrays.asList(type(), entry.content(), iteration(), about(), added());
    }

    @Override
    public String toString() {
      return "[" + entry.type() + "] " + entry.content();
    }
  }
}
