package dev.ralph.core.internal.question;

import dev.ralph.core.internal.reference.Register;
import dev.ralph.core.internal.view.JsonCodec;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import javax.annotation.Nullable;

/**
 * What the frames of a session's question topic mean:
 *
 * <pre>
 * {action:ask, n, timestamp, by?, iteration?} + content
 * {action:answer, id, by?} + content
 * </pre>
 *
 * <p>The first answer counts.
 */
public final class QuestionFold implements Fold<Register<QuestionEntry>, AskedQuestions> {

  @Override
  public String name() {
    return "ralph.questions";
  }

  @Override
  public int version() {
    return 1;
  }

  @Override
  public Register<QuestionEntry> initial() {
    return new Register<>(0);
  }

  @Override
  public AskedQuestions result(Register<QuestionEntry> state) {
    return new AskedQuestions(state.references("question", 'q'), state.numbering().highest());
  }

  @Override
  public Register<QuestionEntry> apply(Register<QuestionEntry> state, Frame frame) {
    Meta meta = frame.meta();
    String action = meta.string("action");
    if ("ask".equals(action) && !state.contains(frame.id())) {
      long iteration = meta.integer("iteration").orElse(0);
      state.add(
          new QuestionEntry(
              frame.id(),
              state.numbering().take(frame), // first: a lost content costs no number
              frame.content(),
              frame.time(),
              meta.string("by"),
              iteration > 0 && iteration <= Integer.MAX_VALUE ? (int) iteration : 0,
              null));
    } else if ("answer".equals(action)) {
      int index = state.find(meta.string("id"));
      if (index >= 0 && state.get(index).answer() == null) {
        state.set(
            index,
            state
                .get(index)
                .answered(
                    new QuestionEntry.Answer(frame.content(), meta.string("by"), frame.time())));
      }
    }
    return state;
  }

  @Override
  public Optional<Codec<Register<QuestionEntry>>> codec() {
    return Optional.of(CODEC);
  }

  private static final Codec<Register<QuestionEntry>> CODEC =
      new JsonCodec<>() {
        @Override
        protected void write(Register<QuestionEntry> state, Output out) throws IOException {
          out.number(state.numbering().highest());
          out.number(state.size());
          for (int i = 0; i < state.size(); i++) {
            QuestionEntry question = state.get(i);
            out.text(question.id());
            out.number(question.number());
            out.text(question.text());
            out.number(question.asked().toEpochMilli());
            out.text(question.by());
            out.number(question.iteration());
            write(question.answer(), out);
          }
        }

        private void write(@Nullable QuestionEntry.Answer answer, Output out) throws IOException {
          out.bool(answer != null);
          if (answer != null) {
            out.text(answer.text());
            out.text(answer.by());
            out.number(answer.time().toEpochMilli());
          }
        }

        @Override
        protected Register<QuestionEntry> read(Input in) throws IOException {
          Register<QuestionEntry> state = new Register<>(in.count());
          for (int left = in.count(); left > 0; left--) {
            state.add(
                new QuestionEntry(
                    in.text(),
                    in.integer(),
                    in.text(),
                    Instant.ofEpochMilli(in.number()),
                    in.textOrNull(),
                    in.integer(),
                    answer(in)));
          }
          return state;
        }

        @Nullable
        private QuestionEntry.Answer answer(Input in) throws IOException {
          return in.bool()
              ? new QuestionEntry.Answer(
                  in.text(), in.textOrNull(), Instant.ofEpochMilli(in.number()))
              : null;
        }
      };
}
