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
 * What an appender has seen of its log, to decide by: where the newest frame of each topic stands,
 * which id was last minted, and which ids cannot be in the log. Under the store's lock.
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

  /** Knows nothing yet. */
  public KnownLog(AppendLookup lookup, Clock clock) {
    this.lookup = lookup;
    this.mint = new Scru128(clock);
  }

  /** Begins again behind that position: nothing is known about what is before it. */
  public void beginAt(long position) {
    newest.clear();
    largestId = null;
    knownFrom = position;
    damagedUntil = 0;
  }

  /** Takes note of a frame behind all others seen. */
  public void saw(Frame frame) {
    newest.put(frame.topic(), frame.position().value());
    sawId(frame);
  }

  /** Takes note of a batch behind all other frames seen: one topic's follow each other, mostly. */
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

  /** Takes note that something up to there can't be read: no condition must rest on it. */
  public void sawDamage(long until) {
    damagedUntil = until;
  }

  /** Takes note of an id that another appender minted. */
  public void sawMinted(String id) {
    if (!hasMinted || id.compareTo(text(lastMinted)) > 0) {
      minted(id);
      mint.advance(id);
    }
  }

  /** Returns a new id. */
  public String mint() {
    String id = mint.next();
    minted(id);
    return id;
  }

  /** Puts a new id at a place of an array, in ASCII. */
  public void mint(byte[] to, int at) {
    mint.next(to, at);
    System.arraycopy(to, at, lastMinted, 0, Scru128.LENGTH);
    hasMinted = true;
  }

  /** Returns the id last minted, for this log by any process, or a new one if there is none. */
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
   * Returns whether a condition does not hold, or may not.
   *
   * @param end where the log ends
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

  /** Returns which drafts are imports of frames that the log has already. */
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
