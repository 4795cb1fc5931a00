package dev.ralph.core.internal.note;

import dev.ralph.domain.KeptText;
import dev.ralph.domain.NumberedState;
import dev.ralph.domain.StateCodec.Input;
import dev.ralph.domain.StateCodec.Output;
import dev.ralph.domain.TextSource;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Folds the frames of a session's note topic:
 *
 * <pre>
 * {action:add, type, n, iteration?, about?, begins?, length?} + content   the last two if long
 * {action:remove, id}
 * {action:numbered, n}       a note of that number was erased
 * </pre>
 *
 * <p>A frame without an action adds a note. The fold ignores unknown actions. Frames of other
 * programs and of earlier versions lack {@code n}.
 */
public final class NoteFold implements Fold<NumberedState<NoteEntry>, Notes> {

  /** The type of notes whose frame has no valid type. */
  static final String UNTYPED = "note";

  private final TextSource texts;

  /**
   * Creates the fold.
   *
   * @param texts reads long notes from the log of the frames
   */
  public NoteFold(TextSource texts) {
    this.texts = texts;
  }

  @Override
  public String name() {
    return "ralph.notes";
  }

  @Override
  public int version() {
    return 6;
  }

  @Override
  public NumberedState<NoteEntry> initial() {
    return new NumberedState<>();
  }

  @Override
  public Notes result(NumberedState<NoteEntry> state) {
    return new Notes(state, texts);
  }

  @Override
  public NumberedState<NoteEntry> apply(NumberedState<NoteEntry> state, Frame frame) {
    Meta meta = frame.meta();
    String action = meta.string("action");
    if (action == null || action.equals("add")) {
      add(state, frame, meta);
    } else if (action.equals("remove")) {
      int index = state.find(meta.string("id"));
      if (index >= 0) {
        state.remove(index);
      }
    } else {
      state.keepNumber(frame);
    }
    return state;
  }

  private static void add(NumberedState<NoteEntry> state, Frame frame, Meta meta) {
    if (state.contains(frame.id())) {
      return;
    }
    long iteration = meta.integer("iteration").orElse(0);
    state.add(
        new NoteEntry(
            frame.id(),
            state.takeNumber(frame), // first: a lost content costs no number
            type(meta.string("type")),
            KeptText.of(frame),
            iteration > 0 && iteration <= Integer.MAX_VALUE ? (int) iteration : 0,
            meta.string("about"),
            frame.time()));
  }

  /**
   * Returns a valid type. Prompts show the type as a heading, so arbitrary text is not accepted.
   */
  private static String type(@Nullable String type) {
    return type == null || !Topic.isSegment(type) ? UNTYPED : type;
  }

  @Override
  public Optional<Codec<NumberedState<NoteEntry>>> codec() {
    return Optional.of(CODEC);
  }

  private static final Codec<NumberedState<NoteEntry>> CODEC =
      new NumberedState.Codec<>() {
        @Override
        protected void writeEntry(NoteEntry note, Output out) {
          out.text(note.id());
          out.number(note.number());
          out.text(note.type());
          out.keptText(note.content());
          out.number(note.iteration());
          out.text(note.about());
          out.number(note.added().toEpochMilli());
        }

        @Override
        protected NoteEntry readEntry(Input in, int size) throws IOException {
          return new NoteEntry(
              in.text(),
              in.integer(),
              in.text(),
              in.keptText(),
              in.integer(),
              in.textOrNull(),
              Instant.ofEpochMilli(in.number()));
        }
      };
}
