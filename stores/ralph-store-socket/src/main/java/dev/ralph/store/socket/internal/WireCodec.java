package dev.ralph.store.socket.internal;

import dev.ralph.log.AmbiguousException;
import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.DamagedException;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.LockedException;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.Snapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Encodes and decodes the arguments and results of a store on a {@link Wire}. */
final class WireCodec {

  /** The first number that each end sends: the letters RLPH. */
  static final int MAGIC = 0x524c5048;

  /** The protocol version. Every change of the encoding raises it. */
  static final int VERSION = 1;

  // The first byte of each part of an answer:

  /** Success; the result follows. */
  static final int DONE = 0;

  /** Failure; the error follows. */
  static final int FAILED = 1;

  /** A frame follows, then the next part. */
  static final int FRAME = 2;

  /** The page is complete; the client may request more frames. */
  static final int MORE = 3;

  /** A longer content, in characters, is not sent with its frame but on request. */
  static final int MOST_AT_ONCE = 64 << 10;

  private static final int MOST_PATTERNS = 4_096;
  private static final int MOST_NAMES = 1 << 20;

  private WireCodec() {}

  // ---- failures

  static void putFailure(Wire wire, RalphException failure) {
    wire.putByte(FAILED);
    wire.putText(failure.code().name());
    wire.putText(String.valueOf(failure.getMessage()));
    if (failure instanceof LockedException locked) {
      wire.putLong(locked.pid());
    } else if (failure instanceof AmbiguousException ambiguous) {
      putTexts(wire, ambiguous.candidates());
    } else if (failure instanceof IndeterminateException unknown) {
      wire.putText(unknown.batchId());
      wire.putLong(unknown.since().value());
      wire.putFlag(unknown.isWritten());
    }
  }

  static RalphException takeFailure(Wire wire) {
    String code = wire.takeText();
    String message = wire.takeText();
    switch (code) {
      case "INVALID":
        return RalphException.invalid(message);
      case "NOT_FOUND":
        return RalphException.notFound(message);
      case "AMBIGUOUS":
        return new AmbiguousException(message, takeTexts(wire));
      case "LOCKED":
        return new LockedException(message, wire.takeLong());
      case "CONTENDED":
        return RalphException.contended(message);
      case "DAMAGED":
        return RalphException.damaged(message);
      case "FULL":
        return RalphException.full(message);
      case "UNAVAILABLE":
        return RalphException.unavailable(message, null);
      case "UNSUPPORTED":
        return RalphException.unsupported(message);
      case "CLOSED":
        return RalphException.closed("the served store").withMessage(message);
      case "INDETERMINATE":
        return new IndeterminateException(
            message,
            wire.takeText(),
            Position.of(wire.takeLong()),
            wire.takeFlag(),
            RalphException.io("reported by the served store"));
      default:
        return RalphException.io(message);
    }
  }

  /**
   * Reads the first byte of an answer.
   *
   * @throws RalphException the server's error, if the answer is a failure
   */
  static int takeAnswer(Wire wire) {
    int answer = wire.takeByte();
    if (answer == FAILED) {
      RalphException failure = takeFailure(wire);
      wire.end();
      throw failure;
    }
    return answer;
  }

  // ---- lists

  static void putTexts(Wire wire, Collection<String> texts) {
    wire.putInt(texts.size());
    for (String text : texts) {
      wire.putText(text);
    }
  }

  static List<String> takeTexts(Wire wire) {
    int count = wire.takeCount(MOST_NAMES);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      texts.add(wire.takeText());
    }
    return texts;
  }

  static void putDamage(Wire wire, List<Damage> damage) {
    wire.putInt(damage.size());
    for (Damage each : damage) {
      wire.putText(each.file());
      wire.putLong(each.offset());
      wire.putLong(each.bytes());
      wire.putLong(each.frames());
      wire.putText(each.description());
    }
  }

  static List<Damage> takeDamage(Wire wire) {
    int count = wire.takeCount(MOST_NAMES);
    List<Damage> damage = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      damage.add(
          new Damage(
              wire.takeText(), wire.takeLong(), wire.takeLong(), wire.takeLong(), wire.takeText()));
    }
    return damage;
  }

  // ---- filters and queries

  static void putFilter(Wire wire, TopicFilter filter) {
    if (filter.patterns().size() > MOST_PATTERNS) {
      throw RalphException.invalid(
          "the filter has more than " + MOST_PATTERNS + " topic patterns, the limit of a socket");
    }
    putTexts(wire, filter.patterns());
  }

  static TopicFilter takeFilter(Wire wire) {
    int count = wire.takeCount(MOST_PATTERNS);
    TopicFilter filter = TopicFilter.parse(wire.takeText());
    for (int i = 1; i < count; i++) {
      filter = filter.or(TopicFilter.parse(wire.takeText()));
    }
    return filter;
  }

  static void putQuery(Wire wire, Query query) {
    putFilter(wire, query.filter());
    wire.putLong(query.after().value());
    Position until = query.until();
    wire.putFlag(until != null);
    if (until != null) {
      wire.putLong(until.value());
    }
    wire.putFlag(query.isBackward());
    wire.putLong(query.limit());
  }

  static Query takeQuery(Wire wire) {
    Query query = Query.of(takeFilter(wire)).after(Position.of(wire.takeLong()));
    if (wire.takeFlag()) {
      query = query.until(Position.of(wire.takeLong()));
    }
    if (wire.takeFlag()) {
      query = query.backward();
    }
    return query.limit(wire.takeLong());
  }

  // ---- frames

  /**
   * Sends a frame. Reads the frame's metadata and content first, because reading may fail.
   *
   * @return the approximate number of characters sent
   */
  static int putFrame(Wire wire, Frame frame) {
    String meta = frame.meta().json();
    String content;
    try {
      content = frame.content();
    } catch (DamagedException lost) {
      content = null; // the client gets the error when it requests the content
    }
    if (content != null && content.length() > MOST_AT_ONCE) {
      content = null;
    }
    wire.putByte(FRAME);
    wire.putText(frame.id());
    wire.putText(frame.topic().name());
    wire.putLong(frame.position().value());
    wire.putLong(frame.time().toEpochMilli());
    wire.putText(meta);
    wire.putFlag(frame.isErased());
    wire.putFlag(content != null);
    if (content != null) {
      wire.putText(content);
    }
    return meta.length() + (content == null ? 0 : content.length());
  }

  /** Reads a frame after its first byte. The frame requests a long content when it is needed. */
  static Frame takeFrame(Wire wire, SocketFrameStore store) {
    String id = wire.takeText();
    Topic topic = Topic.of(wire.takeText());
    Position position = Position.of(wire.takeLong());
    Instant time = Instant.ofEpochMilli(wire.takeLong());
    Meta meta = Meta.stored(wire.takeText());
    boolean erased = wire.takeFlag();
    String content = wire.takeFlag() ? wire.takeText() : null;
    Frame frame =
        Frame.of(
            id, topic, position, time, meta, () -> content == null ? store.content(id) : content);
    return erased ? frame.erased() : frame;
  }

  // ---- batches

  /**
   * @param contents the contents of the drafts, in UTF-8
   */
  static void putBatch(Wire wire, Batch batch, List<byte[]> contents) {
    wire.putText(batch.id());
    wire.putFlag(batch.isSynced());
    Batch.Condition condition = batch.condition();
    wire.putFlag(condition != null);
    if (condition != null) {
      putFilter(wire, condition.filter());
      wire.putLong(condition.since().value());
    }
    wire.putInt(contents.size());
    for (int i = 0; i < contents.size(); i++) {
      Draft draft = batch.drafts().get(i);
      wire.putText(draft.topic().name());
      wire.putText(draft.meta().json());
      wire.putBytes(contents.get(i));
      String id = draft.id();
      Instant time = draft.time();
      wire.putFlag(id != null);
      if (id != null && time != null) {
        wire.putText(id);
        wire.putLong(time.toEpochMilli());
      }
    }
  }

  static Batch takeBatch(Wire wire, StoreInfo limits) {
    String id = wire.takeText();
    boolean synced = wire.takeFlag();
    Batch.Condition condition =
        wire.takeFlag()
            ? new Batch.Condition(takeFilter(wire), Position.of(wire.takeLong()))
            : null;
    int count = wire.takeCount(limits.maxBatchFrames());
    List<Draft> drafts = new ArrayList<>();
    long left = Wire.LONGEST;
    for (int i = 0; i < count; i++) {
      Topic topic = Topic.of(wire.takeText());
      String meta = wire.takeText();
      String content = wire.takeText();
      left -= (long) meta.length() + content.length();
      if (left < 0) {
        throw RalphException.invalid(
            "the batch has more than " + Wire.LONGEST + " characters; append smaller batches");
      }
      drafts.add(
          wire.takeFlag()
              ? Draft.imported(
                  wire.takeText(),
                  Instant.ofEpochMilli(wire.takeLong()),
                  topic,
                  Meta.parse(meta),
                  content)
              : Draft.of(topic, Meta.parse(meta), content));
    }
    Batch batch = Batch.of(id, drafts).synced(synced);
    return condition == null ? batch : batch.onlyIf(condition);
  }

  // ---- store information and snapshots

  static void putInfo(Wire wire, StoreInfo info) {
    wire.putText(info.storeId());
    wire.putInt(info.capabilities().size());
    for (Capability capability : info.capabilities()) {
      wire.putText(capability.name());
    }
    wire.putLong(info.maxContentBytes());
    wire.putInt(info.maxBatchFrames());
  }

  static StoreInfo takeInfo(Wire wire, String location) {
    String storeId = wire.takeText();
    List<String> names = takeTexts(wire);
    EnumSet<Capability> capabilities = EnumSet.noneOf(Capability.class);
    for (Capability capability : Capability.values()) {
      if (names.contains(capability.name())) {
        capabilities.add(capability);
      }
    }
    StoreInfo store =
        new StoreInfo(
            storeId,
            SocketStoreProvider.NAME,
            location,
            capabilities,
            wire.takeLong(),
            wire.takeInt());
    return SocketStoreProvider.served(store, location);
  }

  static void putKey(Wire wire, Snapshot.Key key) {
    wire.putText(key.fold());
    wire.putInt(key.version());
    putFilter(wire, key.filter());
  }

  static Snapshot.Key takeKey(Wire wire) {
    return new Snapshot.Key(wire.takeText(), wire.takeInt(), takeFilter(wire));
  }

  static void putSnapshot(Wire wire, @Nullable Snapshot snapshot) {
    wire.putFlag(snapshot != null);
    if (snapshot != null) {
      wire.putText(snapshot.frameId());
      wire.putLong(snapshot.position().value());
      wire.putBytes(snapshot.state());
    }
  }

  static @Nullable Snapshot takeSnapshot(Wire wire) {
    return wire.takeFlag()
        ? new Snapshot(wire.takeText(), Position.of(wire.takeLong()), wire.takeBytes())
        : null;
  }
}
