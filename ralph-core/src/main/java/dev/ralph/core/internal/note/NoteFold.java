package dev.ralph.core.internal.note;

import dev.ralph.Fold;
import dev.ralph.Frame;
import dev.ralph.Meta;
import dev.ralph.Note;
import dev.ralph.Topic;
import dev.ralph.core.internal.view.JsonCodec;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.annotation.Nullable;

/**
 * What the frames of a session's note topic mean: {@code {action:add, type, iteration?}} + content.
 * A frame without an action adds a note as well, one of another action does nothing.
 */
public final class NoteFold implements Fold<List<Note>, List<Note>> {

  /** The type of a note whose frame has none, or none that a note may have. */
  static final String UNTYPED = "note";

  @Override
  public String name() {
    return "ralph.notes";
  }

  @Override
  public int version() {
    return 2;
  }

  @Override
  public List<Note> initial() {
    return new ArrayList<>();
  }

  @Override
  public List<Note> result(List<Note> state) {
    return List.copyOf(state);
  }

  @Override
  public List<Note> apply(List<Note> state, Frame frame) {
    Meta meta = frame.meta();
    String action = meta.string("action");
    if (action == null || action.equals("add")) {
      long iteration = meta.integer("iteration").orElse(0);
      state.add(
          new NoteEntry(
              frame.id(),
              type(meta.string("type")),
              frame.content(),
              iteration > 0 && iteration <= Integer.MAX_VALUE ? (int) iteration : 0,
              frame.time()));
    }
    return state;
  }

  /** Returns the type if it is one: a prompt shows it as a heading, so it must not be any text. */
  private static String type(@Nullable String type) {
    return type == null || !Topic.isSegment(type) ? UNTYPED : type;
  }

  @Override
  public Optional<Codec<List<Note>>> codec() {
    return Optional.of(CODEC);
  }

  private static final Codec<List<Note>> CODEC =
      new JsonCodec<>() {
        @Override
        protected void write(List<Note> state, Output out) throws IOException {
          out.number(state.size());
          for (Note note : state) {
            out.text(note.id());
            out.text(note.type());
            out.text(note.content());
            out.number(note.iteration());
            out.number(note.added().toEpochMilli());
          }
        }

        @Override
        protected List<Note> read(Input in) throws IOException {
          List<Note> state = new ArrayList<>();
          for (int left = in.count(); left > 0; left--) {
            state.add(
                new NoteEntry(
                    in.text(),
                    in.text(),
                    in.text(),
                    in.integer(),
                    Instant.ofEpochMilli(in.number())));
          }
          return state;
        }
      };
}
