package dev.ralph.store.support.internal.segment;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Topic;
import dev.ralph.spi.Scru128;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An appender's knowledge of its log, by which it evaluates conditions: the position of each
 * topic's newest frame, the last generated id, and a bound of the ids in the log. Used under the
 * store's lock.
 */
public final class KnownLog {

  private final AppendLookup lookup;
  private final Scru128 mint;
  private final Map<Topic, Long> newest = new HashMap<>();
  private final byte[] lastMinted = new byte[Scru128.LENGTH];
  private boolean hasMinted;
  private long knownFrom;
  private long damagedUntil;
  private @Nullable String largestId;

  /** Creates an object without any knowledge. */
  public KnownLog(AppendLookup lookup, Clock clock) {
    this.lookup = lookup;
    this.mint = new Scru128(clock);
  }

  /** Forgets everything; knowledge begins after this position. */
  public void beginAt(long position) {
    newest.clear();
    largestId = null;
    knownFrom = position;
    damagedUntil = 0;
  }

  /** Records a frame that follows all recorded frames. */
  public void saw(Frame frame) {
    newest.put(frame.topic(), frame.position().value());
    sawId(frame);
  }

  /**
   * Records a batch that follows all recorded frames. Most batches have one topic, so only the last
   * frame of consecutive equal topics is recorded.
   */
  public void saw(List<? extends Frame> batch) {
    for (int i = 0; i < batch.size(); i++) {
      Frame frame = batch.get(i);
      if (i == batch.size() - 1 || batch.get(i + 1).topic() != frame.topic()) {
        saw(frame);
      } else {
        sawId(frame);
      }
    }
  }

  private void sawId(Frame frame) {
    String largest = largestId;
    if (largest != null && frame.id().compareTo(largest) > 0) {
      largestId = frame.id();
    }
  }

  /**
   * Records that the log before a position is not fully readable, so that no condition can hold
   * there.
   */
  public void sawDamage(long until) {
    damagedUntil = until;
  }

  /** Records an id that another appender generated. */
  public void sawMinted(String id) {
    if (!hasMinted || id.compareTo(text(lastMinted)) > 0) {
      minted(id);
      mint.advance(id);
    }
  }

  /** Generates an id. */
  public String mint() {
    String id = mint.next();
    minted(id);
    return id;
  }

  /**
   * Generates an id and writes it to an array, in ASCII.
   *
   * @param at the offset in the array
   */
  public void mint(byte[] to, int at) {
    mint.next(to, at);
    System.arraycopy(to, at, lastMinted, 0, Scru128.LENGTH);
    hasMinted = true;
  }

  /** Returns the last id that any process generated for this log, or generates the first. */
  public String lastMinted() {
    return hasMinted ? text(lastMinted) : mint();
  }

  private void minted(String id) {
    System.arraycopy(id.getBytes(StandardCharsets.US_ASCII), 0, lastMinted, 0, Scru128.LENGTH);
    hasMinted = true;
  }

  private static String text(byte[] ascii) {
    return new String(ascii, StandardCharsets.US_ASCII);
  }

  /**
   * Returns true if a condition does not hold, or may not hold.
   *
   * @param end the end of the log
   */
  public boolean isBroken(Batch.Condition condition, long end) {
    long since = condition.since().value();
    if (since > end || damagedUntil > since) {
      return true;
    }
    for (Map.Entry<Topic, Long> topic : newest.entrySet()) {
      if (topic.getValue() > since && condition.filter().matches(topic.getKey())) {
        return true;
      }
    }
    return since < knownFrom && lookup.anyAfter(condition.filter(), since);
  }

  /**
   * Returns for each draft whether it imports a frame that is already in the log or in the list.
   */
  public boolean[] heldAlready(List<Draft> drafts) {
    boolean[] held = new boolean[drafts.size()];
    Set<String> imported = new HashSet<>();
    Set<String> perhapsHeld = new HashSet<>();
    for (int i = 0; i < held.length; i++) {
      String id = drafts.get(i).id();
      if (id != null) {
        held[i] = !imported.add(id);
        if (id.compareTo(largestId()) <= 0) {
          perhapsHeld.add(id);
        }
      }
    }
    if (!perhapsHeld.isEmpty()) {
      Set<String> found = lookup.held(perhapsHeld);
      for (int i = 0; i < held.length; i++) {
        String id = drafts.get(i).id();
        held[i] |= id != null && found.contains(id);
      }
    }
    return held;
  }

  private String largestId() {
    String largest = largestId;
    if (largest == null) {
      largest = lookup.largestId();
      largestId = largest;
    }
    return largest;
  }
}
