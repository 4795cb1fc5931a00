package dev.ralph.core.internal.view;

import dev.ralph.domain.TextSource;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Topic;
import dev.ralph.spi.Scru128;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** A fold and the frames applied to it so far, without any store. */
public final class Replay<S, R> {

  /** The time of all frames. */
  public static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

  private static final Topic TOPIC = Topic.of("ralph.test.topic");

  private final Map<String, Frame> frames;
  private final Fold<S, R> fold;
  private final Scru128 ids = new Scru128(Clock.fixed(NOW, ZoneOffset.UTC));
  private S state;
  private long position;

  private Replay(Map<String, Frame> frames, Fold<S, R> fold) {
    this.frames = frames;
    this.fold = fold;
    this.state = fold.initial();
  }

  public static <S, R> Replay<S, R> of(Fold<S, R> fold) {
    return new Replay<>(new HashMap<>(), fold);
  }

  /** Creates a replay of a fold that leaves long texts in the frames. */
  public static <S, R> Replay<S, R> reading(Function<TextSource, Fold<S, R>> fold) {
    Map<String, Frame> frames = new HashMap<>();
    TextSource texts = new TextSource(id -> Optional.ofNullable(frames.get(id)));
    return new Replay<>(frames, fold.apply(texts));
  }

  /** Applies a frame; returns its id. Single quotes in the metadata replace double quotes. */
  public String frame(String meta, String content) {
    return frame(ids.next(), meta, content);
  }

  /** Applies a frame with a given id; returns the id. */
  public String frame(String id, String meta, String content) {
    apply(id, Draft.of(TOPIC, Meta.parse(meta.replace('\'', '"')), content));
    return id;
  }

  public R state() {
    return fold.result(state);
  }

  /** Applies the frames of a decision and returns its reply. */
  public <T> T append(Decision<R, T> decision) {
    List<Frame> frames = new ArrayList<>();
    for (Draft draft : decision.drafts()) {
      frames.add(apply(ids.next(), draft));
    }
    return decision.reply(state(), frames);
  }

  /** Encodes and decodes the state. */
  public void encodeAndDecode() {
    Fold.Codec<S> codec = fold.codec().orElseThrow();
    state = codec.decode(codec.encode(state));
  }

  private Frame apply(String id, Draft draft) {
    Frame frame = Frame.of(id, Position.of(++position), NOW, draft);
    frames.put(id, frame);
    state = fold.apply(state, frame);
    return frame;
  }
}
