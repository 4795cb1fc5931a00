package dev.ralph.spi;

import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The shared cursor at the end of the log. One follower at a time reads for all followers, and
 * passes each frame to the followers with a matching filter.
 *
 * <p>Callers hold the lock of {@link WaitingFollowers}, except for {@link #open} and {@link
 * #release}.
 */
final class SharedTail {

  /** The maximum number of frames per read, so that followers get the first frames early. */
  private static final int READ_AT_ONCE = 256;

  /**
   * The maximum number of new frames per follower to read with the shared cursor. Beyond this
   * number each follower reads by itself, because a cursor skips unselected frames faster.
   */
  private static final int WORTH_SHARING = 1_024;

  /**
   * The maximum number of frames kept for a slow follower. The follower reads further frames
   * itself, to bound memory.
   */
  private static final int MOST_KEPT = 4_096;

  private final Function<Query, FrameCursor> read;

  final WaitingFollowers waiting;
  private final ReentrantLock lock;

  /** Held while the tail is read. A holder of the other lock must not acquire this lock. */
  private final ReentrantLock reading = new ReentrantLock();

  /** The cursor at the end of the log, or null. Guarded by {@link #reading}. */
  private @Nullable FrameCursor tail;

  // Guarded by the lock of the waiting followers:

  /** The followers that share the tail. */
  private final Set<TailFollower> sharing = new LinkedHashSet<>();

  /** The followers that share the tail, by each pattern of their filters. */
  private final Map<String, Set<TailFollower>> byPattern = new HashMap<>();

  /** The position up to which the tail was read, while a follower shares it. */
  private Position end = Position.START;

  /** Whether the tail has to be reopened at {@link #end}. */
  private boolean isTailStale;

  /** The position at which the tail met damage. The tail must not begin there again. */
  private @Nullable Position damagedAt;

  /** The last link of the chain of selected frames. */
  private @Nullable FrameLink newest;

  /** The number of links so far, and that number at the last search for slow followers. */
  private long links;

  private long linksChecked;

  /** The number of frames read since the tail was last at the end of the log. */
  private long behind;

  /** The number of reads begun, and the number of the last read that reached the end of the log. */
  private long begun;

  private long ended;

  SharedTail(Function<Query, FrameCursor> read, WaitingFollowers waiting) {
    this.read = read;
    this.waiting = waiting;
    this.lock = waiting.lock;
  }

  /** Opens a cursor, either the shared cursor at the end of the log or the cursor of a follower. */
  FrameCursor open(Query query) {
    return read.apply(query);
  }

  // ---- sharing

  boolean isEmpty() {
    return sharing.isEmpty();
  }

  boolean contains(TailFollower follower) {
    return sharing.contains(follower);
  }

  /** Returns the position up to which the tail was read. */
  Position end() {
    return end;
  }

  long begun() {
    return begun;
  }

  long ended() {
    return ended;
  }

  /**
   * Sets the position at which the tail begins, if no follower shares the tail yet.
   *
   * @return false if the tail must not begin at the position
   */
  boolean beginAt(Position upTo) {
    if (sharing.isEmpty()) {
      if (damagedAt != null && !upTo.isAfter(damagedAt)) {
        return false;
      }
      end = upTo;
      isTailStale = true;
      behind = 0;
      waiting.looked(WaitingFollowers.UNKNOWN);
    }
    return true;
  }

  boolean add(TailFollower follower, TopicFilter filter) {
    if (!sharing.add(follower)) {
      return false;
    }
    for (String pattern : filter.patterns()) {
      byPattern.computeIfAbsent(pattern, none -> new LinkedHashSet<>()).add(follower);
    }
    return true;
  }

  boolean remove(TailFollower follower, TopicFilter filter) {
    if (!sharing.remove(follower)) {
      return false;
    }
    for (String pattern : filter.patterns()) {
      Set<TailFollower> wanting = byPattern.get(pattern);
      if (wanting != null && wanting.remove(follower) && wanting.isEmpty()) {
        byPattern.remove(pattern);
      }
    }
    return true;
  }

  // ---- reading and distributing

  /**
   * Reads new frames at the end of the log, unless another thread has reached the end since. The
   * caller holds the lock, which is released during the read.
   *
   * @param since the number of reads begun before the caller needed new frames
   */
  void readNewFrames(long since) {
    if (!reading.tryLock()) {
      waiting.unlocked(reading::lock);
    }
    try {
      if (sharing.isEmpty() || ended > since) {
        return;
      }
      begun++;
      boolean isStale = isTailStale;
      isTailStale = false;
      Position from = end;
      List<Frame> frames = new ArrayList<>();
      boolean isShared = false;
      long heard = waiting.beginRead();
      lock.unlock();
      try {
        if (isStale) {
          closeTail();
        }
        FrameCursor cursor = tail == null ? openTail(from) : tail;
        boolean more = readInto(frames, cursor);
        boolean isDamaged = !cursor.damage().isEmpty();
        Position upTo = cursor.position();
        lock.lock();
        isShared = share(frames, upTo, isDamaged, heard, more);
      } finally {
        if (!lock.isHeldByCurrentThread()) {
          lock.lock();
        }
        waiting.endRead();
        if (!isShared) {
          List.copyOf(sharing).forEach(TailFollower::leave);
          waiting.unlocked(this::closeTail);
        }
      }
    } finally {
      reading.unlock();
    }
  }

  private FrameCursor openTail(Position from) {
    FrameCursor cursor = open(Query.of(TopicFilter.all()).after(from));
    tail = cursor;
    return cursor;
  }

  private void closeTail() {
    FrameCursor cursor = tail;
    tail = null;
    if (cursor != null) {
      cursor.close();
    }
  }

  /** Reads some frames and returns whether the log may have more. */
  private static boolean readInto(List<Frame> frames, FrameCursor cursor) {
    while (frames.size() < READ_AT_ONCE) {
      Frame frame = cursor.next();
      if (frame == null) {
        return false;
      }
      frames.add(frame);
    }
    return true;
  }

  /**
   * Distributes the frames to the followers that share the tail.
   *
   * @return false if each follower has to read by itself
   */
  private boolean share(
      List<Frame> frames, Position upTo, boolean isDamaged, long heard, boolean more) {
    if (isTailStale) {
      return true; // the followers of this read have left, and others share the tail at another
      // position
    }
    behind = more ? behind + frames.size() : 0;
    if (isDamaged) {
      damagedAt = end;
      return false;
    }
    if (behind > (long) WORTH_SHARING * sharing.size()) {
      return false;
    }
    for (Frame frame : frames) {
      deliver(frame);
    }
    end = upTo;
    if (links - linksChecked >= MOST_KEPT) {
      linksChecked = links;
      leaveIfFarBehind();
    }
    ended = more ? ended : begun;
    waiting.looked(more ? WaitingFollowers.UNKNOWN : heard);
    return true;
  }

  private void leaveIfFarBehind() {
    for (TailFollower follower : List.copyOf(sharing)) {
      if (follower.isBefore(links - MOST_KEPT)) {
        follower.leave();
      }
    }
  }

  /** Adds a frame to the chain if the filter of a follower selects it. */
  private void deliver(Frame frame) {
    FrameLink link = deliverTo(byPattern.get("*"), frame, null);
    String name = frame.topic().name();
    link = deliverTo(byPattern.get(name), frame, link);
    for (int dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
      link = deliverTo(byPattern.get(name.substring(0, dot) + ".*"), frame, link);
    }
    if (link != null) {
      if (newest != null) {
        newest.next = link;
      }
      newest = link;
    }
  }

  private @Nullable FrameLink deliverTo(
      @Nullable Set<TailFollower> wanting, Frame frame, @Nullable FrameLink link) {
    if (wanting == null) {
      return link;
    }
    FrameLink to = link == null ? new FrameLink(frame, ++links) : link;
    for (TailFollower follower : wanting) {
      follower.take(to);
    }
    return to;
  }

  /** Closes the cursor at the end of the log if no follower shares it. */
  void release() {
    reading.lock();
    try {
      boolean isNeeded;
      lock.lock();
      try {
        isNeeded = !sharing.isEmpty();
      } finally {
        lock.unlock();
      }
      if (!isNeeded) {
        closeTail();
      }
    } finally {
      reading.unlock();
    }
  }
}
