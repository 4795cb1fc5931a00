package dev.ralph.log;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/**
 * An append-only log of frames. Safe for use by many threads.
 *
 * <p>Every method blocks. An interrupt neither stops a method nor is cleared by it; only {@link
 * Follower#poll} throws {@link InterruptedException}. The log stays usable after an interrupt, and
 * after another thread has closed a cursor that is in use. Every method throws {@link
 * ClosedException} once the store is closed. If the server of a store is unreachable, every method
 * waits for some time and then fails with the code UNAVAILABLE.
 */
public interface FrameLog {

  /** Returns the store's identity, capabilities and limits. */
  StoreInfo info();

  /**
   * Appends a batch atomically. After a return without a conflict, the batch has the durability
   * that it requires, as far as the store {@linkplain StoreInfo.Capability#SYNC offers} it, and so
   * have all frames on which its condition was decided.
   *
   * @return the new frames, or a conflict if the condition failed. A store may report a conflict
   *     although the condition holds, but never misses a conflict
   * @throws LockedException if another process holds the store's lock and either is stopped for two
   *     seconds or does not release the lock within ten
   * @throws RalphException INVALID if the batch exceeds a limit of the store; FULL if the disk is
   *     full; IO if writing fails; UNAVAILABLE if the store is unreachable. Nothing was written in
   *     these cases
   * @throws IndeterminateException if it is unknown whether the batch was written or is durable
   */
  Appended append(Batch batch);

  /**
   * Returns a cursor over the frames that a query selects. A forward cursor also returns frames
   * that are appended later. A backward cursor begins at the end of the log at the time of this
   * call. The caller must close the cursor.
   */
  FrameCursor read(Query query);

  /**
   * Returns a follower of the frames that the query's filter selects after {@link Query#after()}.
   * The end, direction and limit of the query are ignored. The caller must close the follower.
   */
  Follower follow(Query query);

  /**
   * Returns the frame with an id, also if erased. Empty for an unknown or malformed id, and for all
   * frames of a damaged batch.
   */
  Optional<Frame> get(String id);

  /**
   * Returns the newest undamaged frame that the filter selects, or empty if the log has no such
   * frame.
   */
  Optional<Frame> last(TopicFilter filter);

  /** Returns the selected topics with at least one frame. */
  SortedSet<Topic> topics(TopicFilter filter);

  /**
   * Returns the frames of a batch, to find the outcome of an append that is unknown.
   *
   * @param batchId the id that the writer chose
   * @param since a position before the batch (exclusive), as a hint. A store may also search before
   *     the position
   * @return the frames in order, also erased frames, without drafts that the append skipped; empty
   *     if the log does not contain the batch. If all drafts were skipped, or all frames removed by
   *     a compaction: empty or an empty list
   */
  Optional<List<Frame>> findBatch(String batchId, Position since);

  /** Reads all stored data and returns the damage, in order; empty if the store is intact. */
  List<Damage> verify();

  /**
   * Returns files of killed processes that no frame needs. The files only take up space. A file is
   * listed one day after its last change.
   *
   * @return paths relative to the store, sorted. Empty if frames are missing or damaged, because
   *     lost frames may need the files, and for stores that leave no files
   */
  default List<String> leftovers() {
    info(); // throws if the store is closed
    return List.of();
  }

  /**
   * Removes the files that {@link #leftovers()} returns. Appends may run at the same time.
   *
   * @return the removed files
   * @throws LockedException as {@link #append} does
   */
  default List<String> removeLeftovers() {
    return leftovers();
  }

  /**
   * Erases frames permanently. When the method returns, no file of the store contains their
   * metadata and contents, also after a power cut. Id, topic, time and position stay ({@link
   * Frame#isErased()}) until {@link #compact()} removes them. For each topic, the method appends a
   * notice: a frame with the action {@code erased} and the erased ids in the member {@code ids} of
   * its metadata. The notice makes views of all processes fold again, and refuses decisions that
   * were made on an erased frame. Cursors and followers return notices and erased frames; folds get
   * neither.
   *
   * <p>Frames and cursors that a program already holds may still contain erased data, and so may
   * copies and exports of the store. If the method fails or is interrupted, for example by a crash,
   * each frame is either unchanged or erased; call the method again to erase the rest.
   *
   * @return the number of erased frames, without frames erased before and frames with neither
   *     metadata nor content
   * @throws NotFoundException if the log has no frame with one of the ids; nothing is erased
   * @throws RalphException UNSUPPORTED if the store does not have the capability {@link
   *     StoreInfo.Capability#ERASES}; FULL or IO if writing fails
   * @throws LockedException as {@link #append} does
   */
  default int erase(Collection<String> ids) {
    throw RalphException.unsupported(
        "a store of the kind '"
            + info().kind()
            + "' can't erase frames; export the store without the frames and import the export"
            + " into a new store: ralph export --without ID, then ralph import");
  }

  /**
   * Erases every selected frame except notices, for example all frames of one conversation or user,
   * like {@link #erase(Collection)}. Frames appended at the same time may remain.
   *
   * @return the number of erased frames
   * @throws RalphException as {@link #erase(Collection)} does
   */
  default int erase(TopicFilter filter) {
    List<String> ids = new ArrayList<>();
    try (FrameCursor frames = read(Query.of(filter))) {
      for (Frame frame = frames.next(); frame != null; frame = frames.next()) {
        // Other processes may not have read the notice of an earlier erasure yet.
        if (!frame.isErased() && !frame.isErasureNotice()) {
          ids.add(frame.id());
        }
      }
    }
    return erase(ids);
  }

  /**
   * Gives back the disk space of erased frames. Removes erased frames wholly: {@link #get} does not
   * find them, cursors skip them, and an import adds them again. Positions of all other frames and
   * notices stay. The store may keep an erased frame in damaged parts of the log and at its end.
   * Appends, reads and erasures of all processes may run at the same time; a store may let them
   * wait for some seconds. An interrupted call changes no other frame; call the method again to
   * compact the rest.
   *
   * @return the number of bytes freed on disk
   * @throws RalphException UNSUPPORTED if the store does not have the capability {@link
   *     StoreInfo.Capability#COMPACTS}; FULL or IO if writing fails
   * @throws LockedException as {@link #append} does
   */
  default long compact() {
    throw RalphException.unsupported(
        "a store of the kind '"
            + info().kind()
            + "' can't be compacted; export the store and import the export into a new store:"
            + " ralph export, then ralph import --create");
  }
}
