package dev.ralph.core.internal.inbox;

import dev.ralph.Fold;
import dev.ralph.Frame;
import dev.ralph.Meta;
import dev.ralph.core.internal.reference.Register;
import dev.ralph.core.internal.view.JsonCodec;
import dev.ralph.core.internal.view.Timestamp;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/**
 * What the frames of a session's inbox topic mean:
 *
 * <pre>
 * {status:unread, timestamp, n, by?, key?} + content     no action, or add
 * {action:mark_read, id}
 * </pre>
 *
 * <p>Frames of other programs may lack {@code n} and abbreviate ids.
 */
public final class InboxFold implements Fold<Register<MessageEntry>, Messages> {

  @Override
  public String name() {
    return "ralph.inbox";
  }

  @Override
  public int version() {
    return 1;
  }

  @Override
  public Register<MessageEntry> initial() {
    return new Register<>(0);
  }

  @Override
  public Messages result(Register<MessageEntry> state) {
    return new Messages(state.references("message", 'm'), state.numbering().highest());
  }

  @Override
  public Register<MessageEntry> apply(Register<MessageEntry> state, Frame frame) {
    Meta meta = frame.meta();
    String action = meta.string("action");
    if (action == null || action.equals("add")) {
      add(state, frame, meta);
    } else if (action.equals("mark_read")) {
      int index = state.find(meta.string("id"));
      if (index >= 0) {
        state.set(index, state.get(index).asRead());
      }
    }
    return state;
  }

  private static void add(Register<MessageEntry> state, Frame frame, Meta meta) {
    String id = frame.id();
    if (state.contains(id)) {
      return;
    }
    String timestamp = meta.string("timestamp");
    state.add(
        new MessageEntry(
            id,
            state.numbering().take(frame),
            frame.content(),
            timestamp == null ? Timestamp.of(frame.time()) : timestamp,
            frame.time(),
            meta.string("by"),
            meta.string("key"),
            "read".equals(meta.string("status"))));
  }

  @Override
  public Optional<Codec<Register<MessageEntry>>> codec() {
    return Optional.of(CODEC);
  }

  private static final Codec<Register<MessageEntry>> CODEC =
      new JsonCodec<>() {
        @Override
        protected void write(Register<MessageEntry> state, Output out) throws IOException {
          out.number(state.numbering().highest());
          out.number(state.size());
          for (int i = 0; i < state.size(); i++) {
            MessageEntry message = state.get(i);
            out.text(message.id());
            out.number(message.number());
            out.text(message.text());
            out.text(message.timestamp());
            out.number(message.sent().toEpochMilli());
            out.text(message.by());
            out.text(message.key());
            out.bool(message.read());
          }
        }

        @Override
        protected Register<MessageEntry> read(Input in) throws IOException {
          Register<MessageEntry> state = new Register<>(in.count());
          for (int left = in.count(); left > 0; left--) {
            state.add(
                new MessageEntry(
                    in.text(),
                    in.integer(),
                    in.text(),
                    in.text(),
                    Instant.ofEpochMilli(in.number()),
                    in.textOrNull(),
                    in.textOrNull(),
                    in.bool()));
          }
          return state;
        }
      };
}
