package dev.ralph.core.internal.question;

import dev.ralph.domain.KeptText;
import dev.ralph.domain.NumberedState;
import dev.ralph.domain.StateCodec.Input;
import dev.ralph.domain.StateCodec.Output;
import dev.ralph.domain.TextSource;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/**
 * Folds the frames of a session's question topic:
 *
 * <pre>
 * {action:ask, n, timestamp, by?, iteration?, begins?, length?} + content
 * {action:answer, id, by?, begins?, length?} + content    the last two if it is long
 * {action:numbered, n}       a question of that number was erased
 * </pre>
 *
 * <p>Only the first answer of a question is used.
 */
public final class QuestionFold implements Fold<NumberedState<QuestionEntry>, AskedQuestions> {

  private final TextSource texts;

  /**
   * Creates the fold.
   *
   * @param texts reads long questions and answers from the log of the frames
   */
  public QuestionFold(TextSource texts) {
    this.texts = texts;
  }

  @Override
  public String name() {
    return "ralph.questions";
  }

  @Override
  public int version() {
    return 2;
  }

  @Override
  public NumberedState<QuestionEntry> initial() {
    return new NumberedState<>();
  }

  @Override
  public AskedQuestions result(NumberedState<QuestionEntry> state) {
    return new AskedQuestions(state, texts);
  }

  @Override
  public NumberedState<QuestionEntry> apply(NumberedState<QuestionEntry> state, Frame frame) {
    Meta meta = frame.meta();
    String action = meta.string("action");
    if ("ask".equals(action) && !state.contains(frame.id())) {
      long iteration = meta.integer("iteration").orElse(0);
      state.add(
          new QuestionEntry(
              frame.id(),
              state.takeNumber(frame), // first: a lost content costs no number
              KeptText.of(frame),
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
                    new QuestionEntry.Answer(
                        frame.id(), KeptText.of(frame), meta.string("by"), frame.time())));
      }
    } else {
      state.keepNumber(frame);
    }
    return state;
  }

  @Override
  public Optional<Codec<NumberedState<QuestionEntry>>> codec() {
    return Optional.of(CODEC);
  }

  private static final Codec<NumberedState<QuestionEntry>> CODEC =
      new NumberedState.Codec<>() {
        @Override
        protected void writeEntry(QuestionEntry question, Output out) {
          out.text(question.id());
          out.number(question.number());
          out.keptText(question.text());
          out.number(question.asked().toEpochMilli());
          out.text(question.by());
          out.number(question.iteration());
          QuestionEntry.Answer answer = question.answer();
          out.bool(answer != null);
          if (answer != null) {
            out.text(answer.frame());
            out.keptText(answer.text());
            out.text(answer.by());
            out.number(answer.time().toEpochMilli());
          }
        }

        @Override
        protected QuestionEntry readEntry(Input in, int size) throws IOException {
          return new QuestionEntry(
              in.text(),
              in.integer(),
              in.keptText(),
              Instant.ofEpochMilli(in.number()),
              in.textOrNull(),
              in.integer(),
              in.bool() ? answer(in) : null);
        }

        private QuestionEntry.Answer answer(Input in) throws IOException {
          return new QuestionEntry.Answer(
              in.text(), in.keptText(), in.textOrNull(), Instant.ofEpochMilli(in.number()));
        }
      };
}
