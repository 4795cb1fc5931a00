package dev.ralph.core.internal.inbox;

import dev.ralph.domain.JsonCodec.Input;
import dev.ralph.domain.JsonCodec.Output;
import dev.ralph.domain.KeptText;
import dev.ralph.domain.NumberedState;
import dev.ralph.domain.TextSource;
import dev.ralph.domain.Timestamp;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What the frames of a session's inbox topic mean:
 *
 * <pre>
 * {status:unread, timestamp, n, by?, key?, follow_up?, question?, begins?, length?} + content
 *                         no action, or add; the last two if the content is long
 * {action:mark_read, id, by?, iteration?}    with an iteration: counts if that succeeds
 * {action:deliver, ids[], to, call?, until, iteration?}
 *                         shown to an agent with the reply to a tool call, or as it asked for them
 * {action:release, to}                       that agent has ended
 * {action:iteration_end, iteration, heard}   so have the agents of that iteration
 * </pre>
 *
 * <p>Frames of other programs may lack {@code n} and abbreviate ids.
 */
public final class InboxFold implements Fold<NumberedState<MessageEntry>, Messages> {

  private final TextSource texts;

  /**
   * Makes the fold.
   *
   * @param texts reads long messages from the log that the frames are of
   */
  public InboxFold(TextSource texts) {
    this.texts = texts;
  }

  @Override
  public String name() {
    return "ralph.inbox";
  }

  @Override
  public int version() {
    return 4;
  }

  @Override
  public NumberedState<MessageEntry> initial() {
    return new NumberedState<>();
  }

  @Override
  public Messages result(NumberedState<MessageEntry> state) {
    return new Messages(state, texts);
  }

  @Override
  public NumberedState<MessageEntry> apply(NumberedState<MessageEntry> state, Frame frame) {
    Meta meta = frame.meta();
    String action = meta.string("action");
    if (action == null || action.equals("add")) {
      add(state, frame, meta);
    } else if (action.equals("mark_read")) {
      int index = state.find(meta.string("id"));
      if (index >= 0) {
        state.set(index, state.get(index).asRead(iteration(meta)));
      }
    } else if (action.equals("deliver")) {
      deliver(state, meta);
    } else if (action.equals("release")) {
      release(state, meta.string("to"));
    } else if (action.equals("iteration_end")) {
      int iteration = iteration(meta);
      boolean heard = meta.isTrue("heard");
      change(state, message -> message.iterationEnded(iteration, heard));
    }
    return state;
  }

  private static int iteration(Meta meta) {
    return (int) Math.max(0, Math.min(Integer.MAX_VALUE, meta.integer("iteration").orElse(0)));
  }

  private static void deliver(NumberedState<MessageEntry> state, Meta meta) {
    String reader = meta.string("to");
    String call = meta.string("call");
    Instant until = Timestamp.parse(meta.string("until"));
    if (reader == null || until == null) {
      return;
    }
    for (String id : meta.strings("ids")) {
      int index = state.find(id);
      if (index >= 0 && !state.get(index).read()) {
        state.set(index, state.get(index).shownTo(reader, call, until, iteration(meta)));
      }
    }
  }

  private static void release(NumberedState<MessageEntry> state, @Nullable String reader) {
    if (reader != null) {
      change(state, message -> message.releasedBy(reader));
    }
  }

  private static void change(
      NumberedState<MessageEntry> state, UnaryOperator<MessageEntry> change) {
    for (int i = 0; i < state.size(); i++) {
      MessageEntry message = state.get(i);
      MessageEntry changed = change.apply(message);
      if (changed != message) {
        state.set(i, changed);
      }
    }
  }

  private static void add(NumberedState<MessageEntry> state, Frame frame, Meta meta) {
    String id = frame.id();
    if (state.contains(id)) {
      return;
    }
    String timestamp = meta.string("timestamp");
    state.add(
        new MessageEntry(
            id,
            state.takeNumber(frame), // first: a lost content costs no number
            KeptText.of(frame),
            timestamp == null ? Timestamp.of(frame.time()) : timestamp,
            frame.time(),
            meta.string("by"),
            meta.string("key"),
            meta.isTrue("follow_up"),
            meta.string("question"),
            "read".equals(meta.string("status")),
            0,
            null));
  }

  @Override
  public Optional<Codec<NumberedState<MessageEntry>>> codec() {
    return Optional.of(CODEC);
  }

  private static final Codec<NumberedState<MessageEntry>> CODEC =
      new NumberedState.Codec<>() {
        @Override
        protected void writeEntry(MessageEntry message, Output out) throws IOException {
          out.text(message.id());
          out.number(message.number());
          out.text(message.text().beginning());
          out.number(message.text().length());
          out.text(message.timestamp());
          out.number(message.sent().toEpochMilli());
          out.text(message.by());
          out.text(message.key());
          out.bool(message.followUp());
          out.text(message.question());
          out.bool(message.read());
          out.number(message.heardIn());
          write(message.lease(), out);
        }

        private void write(MessageEntry.@Nullable Lease lease, Output out) throws IOException {
          out.bool(lease != null);
          if (lease != null) {
            out.text(lease.reader());
            out.number(lease.calls().size());
            for (String call : lease.calls()) {
              out.text(call);
            }
            out.number(lease.until().toEpochMilli());
            out.number(lease.iteration());
          }
        }

        private MessageEntry.@Nullable Lease lease(Input in) throws IOException {
          if (!in.bool()) {
            return null;
          }
          String reader = in.text();
          List<String> calls = new ArrayList<>();
          for (int left = in.count(); left > 0; left--) {
            calls.add(in.text());
          }
          return new MessageEntry.Lease(
              reader, List.copyOf(calls), Instant.ofEpochMilli(in.number()), in.integer());
        }

        @Override
        protected MessageEntry readEntry(Input in, int size) throws IOException {
          return new MessageEntry(
              in.text(),
              in.integer(),
              new KeptText(in.text(), in.integer()),
              in.text(),
              Instant.ofEpochMilli(in.number()),
              in.textOrNull(),
              in.textOrNull(),
              in.bool(),
              in.textOrNull(),
              in.bool(),
              in.integer(),
              lease(in));
        }
      };
}
