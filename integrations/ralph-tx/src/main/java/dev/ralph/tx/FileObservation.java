package dev.ralph.tx;

import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import org.jspecify.annotations.Nullable;

/**
 * An observation of a file, recorded by a frame: {@code {action, file, id?, sha?, from?, to?,
 * type?, status?, reply_to?, why?}}. The action is a word of {@link TxEvent.Kind}.
 *
 * @param sha256 the SHA-256 of the bytes, or null if they could not be read
 * @param message the fields of the message that matter for routing
 */
record FileObservation(
    TxEvent.Kind kind,
    String file,
    @Nullable String id,
    @Nullable String sha256,
    TxMessage message,
    @Nullable String why) {

  static FileObservation of(TxEvent.Kind kind, TxFile file, @Nullable String why) {
    return new FileObservation(kind, file.name(), file.id(), file.sha256(), file.message(), why);
  }

  /** Parses a frame. Returns null if the frame is not an observation of a file. */
  static @Nullable FileObservation of(Frame frame) {
    Meta meta = frame.meta();
    TxEvent.Kind kind = TxEvent.Kind.of(meta.string("action"));
    String file = meta.string("file");
    if (kind == null || file == null) {
      return null;
    }
    return new FileObservation(
        kind, file, meta.string("id"), meta.string("sha"), message(meta), meta.string("why"));
  }

  private static TxMessage message(Meta meta) {
    return message(
        meta.string("id"),
        meta.string("from"),
        meta.string("to"),
        meta.string("status"),
        meta.string("reply_to"));
  }

  /** Returns a message with the fields that matter for routing. */
  static TxMessage message(
      @Nullable String id,
      @Nullable String from,
      @Nullable String to,
      @Nullable String status,
      @Nullable String answered) {
    TxMessage message = TxMessage.EMPTY;
    message = id == null ? message : message.id(id);
    message = from == null ? message : message.from(from);
    message = to == null ? message : message.to(to);
    message = status == null ? message : message.status(status);
    return answered == null ? message : message.inReplyTo(answered);
  }

  Meta meta() {
    return Meta.of("action", kind.word())
        .with("file", file)
        .with("id", id)
        .with("sha", sha256)
        .with("from", message.from() == null ? null : message.from().toString())
        .with("to", message.to() == null ? null : message.to().toString())
        .with("status", message.status())
        .with("reply_to", message.inReplyTo())
        .with("why", why);
  }

  TxEvent event() {
    return new TxEvent(kind, file, message.to(), why);
  }

  /** Returns the key of the mail. The agent's box gets one mail per key and sender. */
  String key() {
    return id + " " + sha256;
  }
}
