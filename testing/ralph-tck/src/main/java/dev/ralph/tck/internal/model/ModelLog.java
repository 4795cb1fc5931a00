package dev.ralph.tck.internal.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.tck.internal.FrameValues;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The expected log as a plain list with linear searches. Ids and positions, which only the store
 * can choose, are checked and copied from the store.
 */
final class ModelLog {

  private final boolean mintsInOrder;
  private final List<FrameValues> frames = new ArrayList<>();
  private final Map<String, List<FrameValues>> batches = new LinkedHashMap<>();
  private String lastMinted = "";

  ModelLog(boolean mintsInOrder) {
    this.mintsInOrder = mintsInOrder;
  }

  /** Checks the result of an append and adds the frames. */
  void append(Batch batch, Appended appended, Instant now) {
    boolean conflict = conflicts(batch.condition());
    assertThat(appended.isConflict()).as("conflict").isEqualTo(conflict);
    if (conflict) {
      assertThat(appended.frames()).as("frames of a conflict").isEmpty();
      return;
    }
    List<Draft> expected = notHeld(batch.drafts());
    assertThat(appended.frames()).as("frames appended").hasSize(expected.size());
    List<FrameValues> added = new ArrayList<>();
    for (int i = 0; i < expected.size(); i++) {
      added.add(add(expected.get(i), appended.frames().get(i), now));
    }
    batches.put(batch.id(), added);
    if (added.isEmpty()) {
      assertThat(appended.position()).as("end of the log").isGreaterThanOrEqualTo(end());
    } else {
      assertThat(appended.position()).as("position of the append").isEqualTo(end());
    }
  }

  private FrameValues add(Draft draft, Frame frame, Instant now) {
    Instant time = draft.time() == null ? now : draft.time();
    FrameValues seen =
        new FrameValues(
            draft.id() == null ? frame.id() : draft.id(),
            draft.topic().name(),
            frame.position().value(),
            time.truncatedTo(ChronoUnit.MILLIS),
            draft.meta().json(),
            draft.content());
    assertThat(FrameValues.of(frame)).isEqualTo(seen);
    assertThat(frame.position()).as("position of %s", seen).isGreaterThan(end());
    assertThat(get(seen.id())).as("earlier frame with the id of %s", seen).isEmpty();
    if (draft.id() == null) {
      if (mintsInOrder) {
        assertThat(seen.id()).as("minted id").isGreaterThan(lastMinted);
      }
      lastMinted = seen.id();
    }
    frames.add(seen);
    return seen;
  }

  private List<Draft> notHeld(List<Draft> drafts) {
    List<Draft> left = new ArrayList<>();
    Set<String> imported = new HashSet<>();
    for (Draft draft : drafts) {
      String id = draft.id();
      if (id == null || get(id).isEmpty() && imported.add(id)) {
        left.add(draft);
      }
    }
    return left;
  }

  private boolean conflicts(Batch.@Nullable Condition condition) {
    return condition != null
        && !read(Query.of(condition.filter()).after(condition.since())).isEmpty();
  }

  /** Returns the frames that the query selects, in the query's order. */
  List<FrameValues> read(Query query) {
    List<FrameValues> selected = new ArrayList<>();
    for (FrameValues frame : frames) {
      if (frame.position() > query.after().value()
          && (query.until() == null || frame.position() <= query.until().value())
          && matches(query.filter(), frame.topic())) {
        selected.add(frame);
      }
    }
    if (query.isBackward()) {
      Collections.reverse(selected);
    }
    return selected.subList(0, (int) Math.min(selected.size(), query.limit()));
  }

  private static boolean matches(TopicFilter filter, String topic) {
    for (String pattern : filter.patterns()) {
      boolean open = pattern.endsWith("*");
      String beginning = open ? pattern.substring(0, pattern.length() - 1) : pattern;
      if (open ? topic.startsWith(beginning) : topic.equals(pattern)) {
        return true;
      }
    }
    return false;
  }

  Optional<FrameValues> get(String id) {
    return frames.stream().filter(frame -> frame.id().equals(id)).findFirst();
  }

  Optional<FrameValues> last(TopicFilter filter) {
    return read(Query.of(filter).backward()).stream().findFirst();
  }

  List<String> topics(TopicFilter filter) {
    Set<String> topics = new TreeSet<>();
    read(Query.of(filter)).forEach(frame -> topics.add(frame.topic()));
    return List.copyOf(topics);
  }

  /** Returns the appended batches in order. */
  Map<String, List<FrameValues>> batches() {
    return batches;
  }

  List<FrameValues> frames() {
    return frames;
  }

  /** Returns the position of the last frame. */
  Position end() {
    return positionAt(frames.size());
  }

  /** Returns the position after the given number of frames. */
  Position positionAt(int count) {
    return count == 0 ? Position.START : Position.of(frames.get(count - 1).position());
  }
}
