package dev.ralph.store.socket.internal;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Snapshot;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of a client. The client is not trusted: a malformed request only closes the
 * connection.
 */
final class RequestHandler {

  /** The first page is small, because many clients need one frame only. */
  private static final int FIRST_FRAMES = 64;

  private static final int MOST_FRAMES = 1_024;
  private static final int MOST_CHARACTERS = 512 << 10;

  private final FrameStore store;
  private final Wire wire;
  private final AppendNotifier notifier;

  private @Nullable FrameCursor cursor;

  /** The number of frames in the next page. */
  private int page;

  /** The number of damaged places of the cursor that were sent. */
  private int sentDamage;

  RequestHandler(FrameStore store, Wire wire, AppendNotifier notifier) {
    this.store = store;
    this.wire = wire;
    this.notifier = notifier;
  }

  /** Answers requests until either end closes the connection or a request is malformed. */
  void run() {
    try {
      if (shakeHands()) {
        do {
          answer();
        } while (wire.isIdle());
      }
    } catch (RalphException gone) {
      // the client has closed the connection
    } finally {
      endCursor();
    }
  }

  private boolean shakeHands() {
    if (wire.takeInt() != WireCodec.MAGIC) {
      return false;
    }
    boolean isSameVersion = wire.takeInt() == WireCodec.VERSION;
    wire.putInt(WireCodec.MAGIC);
    wire.putInt(WireCodec.VERSION);
    if (isSameVersion) {
      try {
        StoreInfo info = store.info();
        Clock own = Clock.systemUTC();
        Clock clock = store.clock(own);
        wire.putByte(WireCodec.DONE);
        WireCodec.putInfo(wire, info);
        wire.putFlag(!clock.equals(own));
        wire.putLong(clock.millis());
      } catch (RalphException e) {
        WireCodec.putFailure(wire, e);
      }
    }
    wire.flush();
    return isSameVersion;
  }

  /** Answers a request. A request that fails before its last byte was read leaves the wire busy. */
  private void answer() {
    RequestType request = RequestType.take(wire);
    try {
      answer(request);
    } catch (RalphException e) {
      WireCodec.putFailure(wire, e);
    } catch (RuntimeException e) {
      WireCodec.putFailure(wire, RalphException.io("the served store failed: " + e, e));
    }
    wire.flush();
  }

  private void answer(RequestType request) {
    switch (request) {
      case APPEND -> append(WireCodec.takeBatch(wire, store.info()));
      case READ -> read(WireCodec.takeQuery(wire));
      case MORE -> more();
      case ENOUGH -> enough();
      case GET -> get(wire.takeText());
      case LAST -> last(WireCodec.takeFilter(wire));
      case CONTENT -> content(wire.takeText());
      case TOPICS -> topics(WireCodec.takeFilter(wire));
      case FIND_BATCH -> findBatch(wire.takeText(), Position.of(wire.takeLong()));
      case VERIFY -> verify();
      case LEFTOVERS -> leftovers();
      case REMOVE_LEFTOVERS -> removeLeftovers();
      case ERASE -> erase(WireCodec.takeTexts(wire));
      case ERASE_TOPICS -> eraseTopics(WireCodec.takeFilter(wire));
      case LOAD -> load(WireCodec.takeKey(wire));
      case SAVE -> save(WireCodec.takeKey(wire), WireCodec.takeSnapshot(wire));
      case LISTEN -> notifier.serve(wire);
    }
  }

  // ---- Each method first marks the request as read, and calls the store before it answers.

  private void append(Batch batch) {
    wire.end();
    Appended appended;
    try {
      appended = store.append(batch);
    } catch (RalphException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new IndeterminateException(
          "the served store failed during the append of batch " + batch.id() + ": " + e,
          batch.id(),
          Position.START,
          e);
    }
    List<Frame> frames = appended.frames();
    wire.putByte(WireCodec.DONE);
    wire.putFlag(appended.isConflict());
    if (appended.isConflict()) {
      return;
    }
    wire.putLong(appended.position().value());
    wire.putInt(frames.size());
    int next = 0;
    for (int i = 0; i < batch.drafts().size() && next < frames.size(); i++) {
      String id = batch.drafts().get(i).id();
      Frame frame = frames.get(next);
      if (id == null || id.equals(frame.id())) {
        wire.putInt(i);
        wire.putText(frame.id());
        wire.putLong(frame.position().value());
        wire.putLong(frame.time().toEpochMilli());
        next++;
      }
    }
  }

  private void read(Query query) {
    endCursor();
    cursor = store.read(query);
    page = FIRST_FRAMES;
    sentDamage = 0;
    more();
  }

  private void more() {
    wire.end();
    if (cursor == null) {
      throw RalphException.invalid("no read has begun on this connection");
    }
    int sent = 0;
    int characters = 0;
    Frame frame = cursor.next();
    while (frame != null) {
      characters += WireCodec.putFrame(wire, frame);
      sent++;
      frame = sent < page && characters < MOST_CHARACTERS ? cursor.next() : null;
    }
    page = Math.min(2 * page, MOST_FRAMES);
    List<Damage> damage = cursor.damage();
    wire.putByte(sent == 0 ? WireCodec.DONE : WireCodec.MORE);
    WireCodec.putDamage(wire, damage.subList(sentDamage, damage.size()));
    sentDamage = damage.size();
    if (sent == 0) {
      wire.putLong(cursor.position().value());
    }
  }

  private void enough() {
    wire.end();
    endCursor();
  }

  private void endCursor() {
    if (cursor != null) {
      cursor.close();
      cursor = null;
    }
  }

  private void get(String id) {
    wire.end();
    putFrames(store.get(id).stream().toList());
  }

  private void last(TopicFilter filter) {
    wire.end();
    putFrames(store.last(filter).stream().toList());
  }

  private void findBatch(String id, Position since) {
    wire.end();
    putFrames(store.findBatch(id, since).orElse(List.of()));
  }

  private void putFrames(List<Frame> frames) {
    for (Frame frame : frames) {
      WireCodec.putFrame(wire, frame);
    }
    wire.putByte(WireCodec.DONE);
  }

  private void content(String id) {
    wire.end();
    Frame frame =
        store
            .get(id)
            .orElseThrow(
                () ->
                    RalphException.damaged(
                        "the frame " + RalphException.quote(id) + " no longer exists"));
    String content = frame.content();
    wire.putByte(WireCodec.DONE);
    wire.putText(content);
  }

  private void topics(TopicFilter filter) {
    wire.end();
    putNames(store.topics(filter).stream().map(Topic::name).toList());
  }

  private void leftovers() {
    wire.end();
    putNames(store.leftovers());
  }

  private void removeLeftovers() {
    wire.end();
    putNames(store.removeLeftovers());
  }

  private void putNames(List<String> names) {
    wire.putByte(WireCodec.DONE);
    WireCodec.putTexts(wire, names);
  }

  private void verify() {
    wire.end();
    List<Damage> damage = store.verify();
    wire.putByte(WireCodec.DONE);
    WireCodec.putDamage(wire, damage);
  }

  private void erase(List<String> ids) {
    wire.end();
    putErased(store.erase(ids));
  }

  private void eraseTopics(TopicFilter filter) {
    wire.end();
    putErased(store.erase(filter));
  }

  private void putErased(int erased) {
    wire.putByte(WireCodec.DONE);
    wire.putInt(erased);
  }

  private void load(Snapshot.Key key) {
    wire.end();
    Optional<Snapshot> snapshot = store.snapshots().load(key);
    wire.putByte(WireCodec.DONE);
    WireCodec.putSnapshot(wire, snapshot.orElse(null));
  }

  private void save(Snapshot.Key key, @Nullable Snapshot snapshot) {
    wire.end();
    if (snapshot != null) {
      store.snapshots().save(key, snapshot);
    }
    wire.putByte(WireCodec.DONE);
  }
}
