package dev.ralph.store.socket.internal;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.Followers;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.MovableClock;
import dev.ralph.spi.SnapshotStore;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A client of a store served on a socket by a separate process. Short commands load this class, so
 * the methods that they call use no lambdas.
 */
final class SocketFrameStore implements FrameStore {

  private final Connections connections;
  private final StoreInfo info;

  /** Created for the first follower, because most short commands follow nothing. */
  private @Nullable Followers followers;

  private @Nullable AppendListener listener;

  private SocketFrameStore(Connections connections, StoreInfo info) {
    this.connections = connections;
    this.info = info;
  }

  static FrameStore open(Connections connections) {
    try {
      return new SocketFrameStore(connections, connections.begin());
    } catch (RuntimeException e) {
      connections.close();
      throw e;
    }
  }

  /** Takes a connection and writes the type of a request; the caller returns the connection. */
  private Wire ask(RequestType request) {
    Wire wire = connections.take();
    request.put(wire);
    return wire;
  }

  private static void await(Wire wire) {
    wire.flush();
    WireCodec.takeAnswer(wire);
  }

  /** Marks the exchange as complete and returns the answer. */
  private static <T> T done(Wire wire, T answer) {
    wire.end();
    return answer;
  }

  @Override
  public StoreInfo info() {
    connections.requireOpen();
    return info;
  }

  /** Returns the server's clock, or the host's clock if a test moves it or the server has none. */
  @Override
  public Clock clock(Clock host) {
    Clock served = connections.clock();
    return served == null || host instanceof MovableClock ? host : served;
  }

  // ---- appending

  @Override
  public Appended append(Batch batch) {
    List<byte[]> contents = contents(batch);
    Wire wire = ask(RequestType.APPEND);
    boolean sent = false;
    Appended appended;
    try {
      WireCodec.putBatch(wire, batch, contents);
      wire.flush();
      sent = true;
      WireCodec.takeAnswer(wire);
      appended = done(wire, takeAppended(wire, batch, contents));
    } catch (RalphException e) {
      if (!sent || wire.isIdle()) {
        throw e; // the request was not sent completely, or the store itself reported the failure
      }
      throw new IndeterminateException(
          "batch "
              + batch.id()
              + " may or may not be appended: the connection to "
              + info.location()
              + " broke",
          batch.id(),
          Position.START,
          e);
    } finally {
      connections.release(wire);
    }
    wakeFollowers();
    return appended;
  }

  private synchronized void wakeFollowers() {
    if (followers != null) {
      followers.appended();
    }
  }

  private List<byte[]> contents(Batch batch) {
    if (batch.drafts().size() > info.maxBatchFrames()) {
      throw RalphException.tooManyFrames(batch.drafts().size(), info.maxBatchFrames());
    }
    List<byte[]> contents = new ArrayList<>();
    long sum = 0;
    for (Draft draft : batch.drafts()) {
      byte[] content = draft.content().getBytes(StandardCharsets.UTF_8);
      if (content.length > info.maxContentBytes()) {
        throw RalphException.tooLongContent(content.length, info.maxContentBytes());
      }
      contents.add(content);
      sum += content.length + 3L * draft.meta().json().length();
    }
    if (sum > Wire.LONGEST) {
      throw RalphException.invalid(
          "the batch has "
              + sum
              + " bytes, more than the limit of "
              + Wire.LONGEST
              + "; append smaller batches");
    }
    return contents;
  }

  private Appended takeAppended(Wire wire, Batch batch, List<byte[]> contents) {
    if (wire.takeFlag()) {
      return Appended.conflict();
    }
    Position end = Position.of(wire.takeLong());
    int count = wire.takeCount(contents.size());
    List<Frame> frames = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Draft draft = batch.drafts().get(wire.takeCount(contents.size() - 1));
      String id = wire.takeText();
      // A frame keeps no long content in memory; the content is read again when it is asked for.
      boolean isLong = draft.content().length() > WireCodec.MOST_AT_ONCE;
      frames.add(
          Frame.of(
              id,
              draft.topic(),
              Position.of(wire.takeLong()),
              Instant.ofEpochMilli(wire.takeLong()),
              draft.meta(),
              isLong ? () -> content(id) : draft::content));
    }
    return Appended.of(frames, end);
  }

  // ---- reading

  @Override
  public FrameCursor read(Query query) {
    return new SocketCursor(this, connections, query);
  }

  @Override
  public Follower follow(Query query) {
    return followers().follow(query);
  }

  private synchronized Followers followers() {
    connections.requireOpen();
    Followers created = followers;
    if (created == null) {
      AppendListener appends = new AppendListener(connections, this::wakeFollowers);
      created = new Followers(this::read, appends::listen);
      followers = created;
      listener = appends;
    }
    return created;
  }

  @Override
  public Optional<Frame> get(String id) {
    Wire wire = ask(RequestType.GET);
    try {
      wire.putText(id);
      return takeFrame(wire);
    } finally {
      connections.release(wire);
    }
  }

  @Override
  public Optional<Frame> last(TopicFilter filter) {
    Wire wire = ask(RequestType.LAST);
    try {
      WireCodec.putFilter(wire, filter);
      return takeFrame(wire);
    } finally {
      connections.release(wire);
    }
  }

  private Optional<Frame> takeFrame(Wire wire) {
    List<Frame> frames = takeFrames(wire);
    return frames.isEmpty() ? Optional.empty() : Optional.of(frames.get(0));
  }

  private List<Frame> takeFrames(Wire wire) {
    List<Frame> frames = new ArrayList<>();
    wire.flush();
    while (WireCodec.takeAnswer(wire) == WireCodec.FRAME) {
      frames.add(WireCodec.takeFrame(wire, this));
    }
    return done(wire, frames);
  }

  /** Reads the content of a frame sent without content. */
  String content(String id) {
    Wire wire = ask(RequestType.CONTENT);
    try {
      wire.putText(id);
      await(wire);
      return done(wire, wire.takeText());
    } finally {
      connections.release(wire);
    }
  }

  @Override
  public SortedSet<Topic> topics(TopicFilter filter) {
    Wire wire = ask(RequestType.TOPICS);
    try {
      WireCodec.putFilter(wire, filter);
      await(wire);
      SortedSet<Topic> topics = new TreeSet<>();
      for (String name : WireCodec.takeTexts(wire)) {
        topics.add(Topic.of(name));
      }
      return done(wire, topics);
    } finally {
      connections.release(wire);
    }
  }

  @Override
  public Optional<List<Frame>> findBatch(String batchId, Position since) {
    Wire wire = ask(RequestType.FIND_BATCH);
    try {
      wire.putText(batchId);
      wire.putLong(since.value());
      List<Frame> frames = takeFrames(wire);
      return frames.isEmpty() ? Optional.empty() : Optional.of(List.copyOf(frames));
    } finally {
      connections.release(wire);
    }
  }

  // ---- maintenance

  @Override
  public List<Damage> verify() {
    Wire wire = ask(RequestType.VERIFY);
    try {
      await(wire);
      return done(wire, WireCodec.takeDamage(wire));
    } finally {
      connections.release(wire);
    }
  }

  @Override
  public List<String> leftovers() {
    return names(RequestType.LEFTOVERS);
  }

  @Override
  public List<String> removeLeftovers() {
    return names(RequestType.REMOVE_LEFTOVERS);
  }

  private List<String> names(RequestType request) {
    Wire wire = ask(request);
    try {
      await(wire);
      return done(wire, WireCodec.takeTexts(wire));
    } finally {
      connections.release(wire);
    }
  }

  @Override
  public int erase(Collection<String> ids) {
    Wire wire = ask(RequestType.ERASE);
    try {
      WireCodec.putTexts(wire, ids);
      return takeErased(wire);
    } finally {
      connections.release(wire);
    }
  }

  @Override
  public int erase(TopicFilter filter) {
    Wire wire = ask(RequestType.ERASE_TOPICS);
    try {
      WireCodec.putFilter(wire, filter);
      return takeErased(wire);
    } finally {
      connections.release(wire);
    }
  }

  private int takeErased(Wire wire) {
    await(wire);
    int erased = done(wire, wire.takeInt());
    wakeFollowers();
    return erased;
  }

  @Override
  public SnapshotStore snapshots() {
    connections.requireOpen();
    return new SocketSnapshots(connections);
  }

  @Override
  public synchronized void close() {
    connections.close(); // first, so that no thread waits for an answer any more
    if (followers != null) {
      followers.close();
    }
    if (listener != null) {
      listener.close();
    }
  }
}
