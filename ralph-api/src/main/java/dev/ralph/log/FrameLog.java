package dev.ralph.log;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/**
 * One append-only log of frames. Every method blocks, may be called from any thread at any time,
 * and leaves the log usable when the calling thread is interrupted or another one closes what it
 * uses. An interrupt does not stop a method and is not cleared; only {@link Follower#poll} throws
 * because of it. After its store was closed every method throws {@link ClosedException}. Where a
 * store is on a server that can't be reached, every method waits for some time, and then fails with
 * the code UNAVAILABLE.
 */
public interface FrameLog {

  /** Returns what the store is and guarantees. */
  StoreInfo info();

  /**
   * Appends a batch: all of it or nothing. When it returns without a conflict, the batch survives
   * what its durability says, and with it everything that its condition was decided on.
   *
   * @return the new frames, or a conflict if the condition did not hold. A store may report a
   *     conflict where there is none, but never misses one
   * @throws LockedException if another process holds the store and is stopped for two seconds, or
   *     does not let go within ten
   * @throws RalphException INVALID if the batch breaks a limit of the store; FULL if there is no
   *     room; UNAVAILABLE if the store can't be reached. In all these cases nothing was written
   * @throws IndeterminateException if it is not known whether the batch was written, or whether it
   *     is durable
   */
  Appended append(Batch batch);

  /** Reads frames. The cursor must be closed. */
  FrameCursor read(Query query);

  /**
   * Follows the log from the query's {@link Query#after()} on. Only the filter and that position
   * count. The follower must be closed.
   */
  Follower follow(Query query);

  /** Returns the frame of that id. */
  Optional<Frame> get(String id);

  /** Returns the newest frame that the filter selects. */
  Optional<Frame> last(TopicFilter filter);

  /** Returns the topics that the filter selects and that have at least one frame. */
  SortedSet<Topic> topics(TopicFilter filter);

  /**
   * Returns the frames of a batch, to resolve an append of unknown outcome.
   *
   * @param batchId as the writer chose it
   * @param since a position that the batch stands after (exclusive): a hint where to begin; a store
   *     may look further back
   */
  Optional<List<Frame>> findBatch(String batchId, Position since);

  /**
   * Reads everything that is stored and returns the damage found, in order; empty if all is well.
   */
  List<Damage> verify();

  /**
   * Returns the files that killed processes left in the store and that no frame needs. They cost
   * room, and nothing else. A file counts only a day after it was last written.
   *
   * @return their paths, relative to the store, sorted; none where frames are missing or damaged,
   *     because those may need them, and where a store leaves no files
   */
  default List<String> leftovers() {
    info(); // fails once the store is closed
    return List.of();
  }

  /**
   * Removes what {@link #leftovers()} returns. This does not disturb appends under way.
   *
   * @return what was removed
   * @throws LockedException if another process holds the store and is stopped for two seconds, or
   *     does not let go within ten
   */
  default List<String> removeLeftovers() {
    return leftovers();
  }

  /**
   * Erases frames for good. Their meta data and contents are gone from every file of the store when
   * this returns, which a power cut does not undo; id, topic, time and place stay ({@link
   * Frame#isErased()}). For each topic a frame is appended that names the erased ones, in the
   * member {@code ids} of its meta data, with the action {@code erased}: so views fold again, also
   * in other processes, and a decision that was made on an erased frame is refused. Folds see
   * neither that frame nor the erased ones.
   *
   * <p>Frames and cursors that a program holds already may still have what was erased, and so have
   * copies of the store and exports. If erasing is cut short, by a crash too, each frame is either
   * as it was or erased; calling it again does the rest.
   *
   * @return how many frames were erased; those that had been before are not counted, nor those that
   *     have neither meta data nor content
   * @throws NotFoundException if an id is not one of the log's; nothing is erased then
   * @throws RalphException UNSUPPORTED if the store does not have the capability {@link
   *     StoreInfo.Capability#ERASES}; FULL or IO if it can't be done
   * @throws LockedException if another process holds the store and is stopped for two seconds, or
   *     does not let go within ten
   */
  default int erase(Collection<String> ids) {
    throw RalphException.unsupported(
        "a store of the kind '"
            + info().kind()
            + "' can't erase frames; export it without them and import that into a new store:"
            + " ralph export --without ID, then ralph import");
  }

  /**
   * Erases every frame that the filter selects, as {@link #erase(Collection)} does: for example all
   * that a host keeps of one conversation or user. Frames that are appended meanwhile may be left.
   *
   * @return how many frames were erased
   * @throws RalphException as {@link #erase(Collection)} does
   */
  default int erase(TopicFilter filter) {
    List<String> ids = new ArrayList<>();
    try (FrameCursor frames = read(Query.of(filter))) {
      for (Frame frame = frames.next(); frame != null; frame = frames.next()) {
        // Others may not have read the notice of an earlier erasure yet.
        if (!frame.isErased() && !Erasure.isNotice(frame)) {
          ids.add(frame.id());
        }
      }
    }
    return erase(ids);
  }
}
