package dev.ralph.store.socket;

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
 * What the server says to one client, who may send anything: what can't be made out ends the
 * conversation, and nothing else.
 */
final class Conversation {

  /** Few at first: who wants only one of them shall not wait for many. */
  private static final int FIRST_FRAMES = 64;

  private static final int MOST_FRAMES = 1_024;
  private static final int MOST_CHARACTERS = 512 << 10;

  private final FrameStore store;
  private final Wire wire;
  private final News news;

  private @Nullable FrameCursor cursor;

  /** How many frames are sent at once. */
  private int page;

  /** How many pieces of the cursor's damage were told. */
  private int told;

  Conversation(FrameStore store, Wire wire, News news) {
    this.store = store;
    this.wire = wire;
    this.news = news;
  }

  /** Answers until either end is closed, or the client is not understood. */
  void hold() {
    try {
      if (greet()) {
        do {
          answer();
        } while (wire.isIdle());
      }
    } catch (RalphException gone) {
      // nobody is left to be told
    } finally {
      endCursor();
    }
  }

  private boolean greet() {
    if (wire.takeInt() != Form.MAGIC) {
      return false;
    }
    boolean understood = wire.takeInt() == Form.VERSION;
    wire.putInt(Form.MAGIC);
    wire.putInt(Form.VERSION);
    if (understood) {
      try {
        StoreInfo info = store.info();
        Clock own = Clock.systemUTC();
        Clock clock = store.clock(own);
        wire.putByte(Form.DONE);
        Form.putInfo(wire, info);
        wire.putFlag(!clock.equals(own));
        wire.putLong(clock.millis());
      } catch (RalphException e) {
        Form.putFailure(wire, e);
      }
    }
    wire.flush();
    return understood;
  }

  /** Where a request fails before all of it was read, the wire stays in the middle of it. */
  private void answer() {
    Request request = Request.take(wire);
    try {
      answer(request);
    } catch (RalphException e) {
      Form.putFailure(wire, e);
    } catch (RuntimeException e) {
      Form.putFailure(wire, RalphException.io("the store that is served failed: " + e, e));
    }
    wire.flush();
  }

  private void answer(Request request) {
    switch (request) {
      case APPEND -> append(Form.takeBatch(wire, store.info()));
      case READ -> read(Form.takeQuery(wire));
      case MORE -> more();
      case ENOUGH -> enough();
      case GET -> get(wire.takeText());
      case LAST -> last(Form.takeFilter(wire));
      case CONTENT -> content(wire.takeText());
      case TOPICS -> topics(Form.takeFilter(wire));
      case FIND_BATCH -> findBatch(wire.takeText(), Position.of(wire.takeLong()));
      case VERIFY -> verify();
      case LEFTOVERS -> leftovers();
      case REMOVE_LEFTOVERS -> removeLeftovers();
      case ERASE -> erase(Form.takeTexts(wire));
      case ERASE_TOPICS -> eraseTopics(Form.takeFilter(wire));
      case LOAD -> load(Form.takeKey(wire));
      case SAVE -> save(Form.takeKey(wire), Form.takeSnapshot(wire));
      case LISTEN -> news.tellFromNow(wire);
    }
  }

  // ---- Each says first that all of the request was read, and asks the store before it answers.

  private void append(Batch batch) {
    wire.end();
    Appended appended;
    try {
      appended = store.append(batch);
    } catch (RalphException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new IndeterminateException(
          "the store that is served failed amid batch " + batch.id() + ": " + e,
          batch.id(),
          Position.START,
          e);
    }
    List<Frame> frames = appended.frames();
    wire.putByte(Form.DONE);
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
    told = 0;
    more();
  }

  private void more() {
    wire.end();
    if (cursor == null) {
      throw RalphException.invalid("nothing is being read");
    }
    int sent = 0;
    int characters = 0;
    Frame frame = cursor.next();
    while (frame != null) {
      characters += Form.putFrame(wire, frame);
      sent++;
      frame = sent < page && characters < MOST_CHARACTERS ? cursor.next() : null;
    }
    page = Math.min(2 * page, MOST_FRAMES);
    List<Damage> damage = cursor.damage();
    wire.putByte(sent == 0 ? Form.DONE : Form.MORE);
    Form.putDamage(wire, damage.subList(told, damage.size()));
    told = damage.size();
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
      Form.putFrame(wire, frame);
    }
    wire.putByte(Form.DONE);
  }

  private void content(String id) {
    wire.end();
    Frame frame =
        store
            .get(id)
            .orElseThrow(
                () ->
                    RalphException.damaged(
                        "the frame " + RalphException.quote(id) + " is not there any more"));
    String content = frame.content();
    wire.putByte(Form.DONE);
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
    wire.putByte(Form.DONE);
    Form.putTexts(wire, names);
  }

  private void verify() {
    wire.end();
    List<Damage> damage = store.verify();
    wire.putByte(Form.DONE);
    Form.putDamage(wire, damage);
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
    wire.putByte(Form.DONE);
    wire.putInt(erased);
  }

  private void load(Snapshot.Key key) {
    wire.end();
    Optional<Snapshot> snapshot = store.snapshots().load(key);
    wire.putByte(Form.DONE);
    Form.putSnapshot(wire, snapshot.orElse(null));
  }

  private void save(Snapshot.Key key, @Nullable Snapshot snapshot) {
    wire.end();
    if (snapshot != null) {
      store.snapshots().save(key, snapshot);
    }
    wire.putByte(Form.DONE);
  }
}
