package dev.ralph;

import dev.ralph.log.Draft;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A topic whose frames contain values of one type, encoded by a codec. The member {@code v} of the
 * metadata is the version of the encoding; a frame without this member has version 1.
 *
 * <pre>{@code
 * TypedTopic<Order> orders =
 *     ralph.topic(Topic.of("shop.orders"), JsonCodec.of(mapper, Order.class))
 *         .version(2)
 *         .older(1, json -> Order.ofFirstVersion(json));
 * orders.append(new Order("A1", 20));
 *
 * Fold<int[], Integer> total =
 *     orders.fold(
 *         "shop.total",
 *         () -> new int[1],
 *         (sum, entry) -> {
 *           if (entry.value() != null) {
 *             sum[0] += entry.value().amount();
 *           }
 *         },
 *         sum -> sum[0]);
 * int present = ralph.view(orders.topic(), total).current();
 * }</pre>
 *
 * <p>Immutable; safe for use by many threads if the codec is.
 *
 * @param <T> the type of the values
 */
public final class TypedTopic<T> {

  private static final String VERSION = "v";

  private final Ralph ralph;
  private final Topic topic;
  private final StepCodec<T> codec;
  private final int version;
  private final Map<Integer, Function<String, T>> older;

  private TypedTopic(
      Ralph ralph,
      Topic topic,
      StepCodec<T> codec,
      int version,
      Map<Integer, Function<String, T>> older) {
    this.ralph = ralph;
    this.topic = topic;
    this.codec = codec;
    this.version = version;
    this.older = older;
  }

  /** Returns the topic of version 1; see {@link Ralph#topic}. */
  static <T> TypedTopic<T> of(Ralph ralph, Topic topic, StepCodec<T> codec) {
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(codec, "codec");
    return new TypedTopic<>(ralph, topic, codec, 1, Map.of());
  }

  /**
   * Returns a copy that appends frames of a version, and reads these frames by the codec. Raise the
   * version with each change of the encoding that older programs can't read.
   *
   * @throws RalphException INVALID if the version is less than 1
   */
  public TypedTopic<T> version(int version) {
    requirePositive(version);
    return new TypedTopic<>(ralph, topic, codec, version, older);
  }

  /**
   * Returns a copy that reads frames of an earlier version.
   *
   * @param reader converts the content of a frame to a value
   * @throws RalphException INVALID if the version is less than 1
   */
  public TypedTopic<T> older(int version, Function<String, T> reader) {
    requirePositive(version);
    Objects.requireNonNull(reader, "reader");
    Map<Integer, Function<String, T>> readers = new TreeMap<>(older);
    readers.put(version, reader);
    return new TypedTopic<>(ralph, topic, codec, this.version, readers);
  }

  private static void requirePositive(int version) {
    if (version < 1) {
      throw RalphException.invalid("the version of a topic must be 1 or more, not " + version);
    }
  }

  /** Returns the topic of the frames, for views, ledgers and queries. */
  public Topic topic() {
    return topic;
  }

  /**
   * Appends a value. The frame survives a power cut.
   *
   * @return the new frame
   * @throws RalphException as {@link #draft} and {@link Ralph#append(Topic, Meta, String)}
   */
  public Frame append(T value) {
    Draft draft = draft(value);
    return ralph.append(topic, draft.meta(), draft.content());
  }

  /**
   * Returns the draft of a value, for decisions and batches.
   *
   * @throws RalphException INVALID if the codec returns null or text with an unpaired surrogate;
   *     otherwise the exception of the codec
   */
  public Draft draft(T value) {
    Objects.requireNonNull(value, "value");
    String content = codec.write(value);
    if (content == null) {
      throw RalphException.invalid("the codec of the topic " + topic + " returned null");
    }
    return Draft.of(topic, Meta.of(VERSION, version), content);
  }

  /**
   * Reads a frame of the topic.
   *
   * @return the value, or the problem of an unreadable frame
   * @throws RalphException DAMAGED if the content is damaged; otherwise as {@link Frame#content()};
   *     an exception of the codec with another code than INVALID
   */
  public Entry<T> read(Frame frame) {
    Objects.requireNonNull(frame, "frame");
    OptionalLong written = frame.meta().integer(VERSION);
    if (written.isEmpty() && frame.meta().has(VERSION)) {
      return unreadable(frame, "the version is no whole number");
    }
    long number = written.orElse(1);
    Function<String, T> reader =
        number == version
            ? codec::read
            : number < 1 || number > version ? null : older.get((int) number);
    if (reader == null || frame.isErased()) {
      return unreadable(
          frame, frame.isErased() ? "the frame is erased" : "no reader of version " + number);
    }
    String content = frame.content();
    try {
      T value = reader.apply(content);
      return value == null
          ? unreadable(frame, "the codec returned null")
          : new Entry<>(frame, value, null);
    } catch (RalphException e) {
      if (e.code() != RalphException.Code.INVALID) {
        throw e;
      }
      return unreadable(frame, String.valueOf(e.getMessage()));
    } catch (Exception | StackOverflowError e) { // Kotlin also throws checked exceptions
      return unreadable(frame, e.toString());
    }
  }

  private static <T> Entry<T> unreadable(Frame frame, String problem) {
    return new Entry<>(frame, null, problem);
  }

  /**
   * Returns a fold over the values, without snapshots. The fold also gets unreadable frames.
   *
   * @param name see {@link Fold#name()}
   * @param initial returns a new state
   * @param accumulator applies one entry to the state
   * @param finisher returns the result, which later frames must not change: copy mutable parts
   */
  public <S, R> Fold<S, R> fold(
      String name,
      Supplier<S> initial,
      BiConsumer<S, Entry<T>> accumulator,
      Function<S, R> finisher) {
    return new TypedFold<>(
        this, Fold.of(name, initial, (state, frame) -> {}, finisher), accumulator);
  }

  /**
   * Returns a fold over the values, with snapshots. The fold also gets unreadable frames.
   *
   * @param version see {@link Fold#version()}; raise the number also if the topic reads further
   *     versions, see {@link #version(int)} and {@link #older}
   * @param codec the codec of snapshots
   */
  public <S, R> Fold<S, R> fold(
      String name,
      int version,
      Supplier<S> initial,
      BiConsumer<S, Entry<T>> accumulator,
      Function<S, R> finisher,
      Fold.Codec<S> codec) {
    return new TypedFold<>(
        this, Fold.of(name, version, initial, (state, frame) -> {}, finisher, codec), accumulator);
  }

  /**
   * A frame of the topic with its value, or with the problem that makes it unreadable.
   *
   * @param value the value; null if the frame is unreadable
   * @param problem the reason why the frame is unreadable, for people; null if it is readable
   */
  public record Entry<T>(Frame frame, @Nullable T value, @Nullable String problem) {

    /** Creates an entry. */
    public Entry {
      Objects.requireNonNull(frame, "frame");
    }
  }
}
