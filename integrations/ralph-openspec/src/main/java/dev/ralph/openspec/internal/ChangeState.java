package dev.ralph.openspec.internal;

import dev.ralph.domain.Lease;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sessions on a change and their progress, folded from the frames of its topic:
 *
 * <pre>
 * {action:init, session, owner, until, first, host?, pid?, …}   begins or resumes a session; with a
 *                         process it holds the change for the lifetime of the process; first is
 *                         the number of the next iteration
 * {action:renew, session, until}
 * {action:story, session, story?, open[]}                the present story; without a story all are
 *                         complete; open lists the stories to work on or to check, with this story
 * {action:plan, session, lines[]{key, story, title, id?, text}, gone[]}
 *                         the assigned tasks of tasks.md, in the order of the file; a line without
 *                         id has no number there
 * {action:flush, session, size, learnings, after, last, date}
 *                         the learnings of the notes after "after", up to "last", go to this place
 *                         of design.md; learnings is their total so far. Frames of earlier versions
 *                         lack after and last: the first learnings go there
 * {action:leave, session}                                releases the change; the session continues
 * {action:end, session, learnings}                       ends the session and releases the change
 * </pre>
 */
final class ChangeState {

  static final Fold<ChangeState, ChangeState> FOLD =
      Fold.of("ralph.openspec", ChangeState::new, ChangeState::apply, ChangeState::new);

  /**
   * The state of a session.
   *
   * @param lease the newest lease
   * @param process the process whose lifetime replaces the time of the lease, or null
   * @param first the number of the first iteration since the session acquired the change, including
   *     iterations of killed processes; 0 if the session has left the change or the number is
   *     unknown
   * @param stories the stories of the session, the present story last
   * @param plan the tasks of the last assignment, or null
   * @param flush the decided place of the last learnings, or null
   * @param learnings the number of written learnings once the session has ended; -1 before
   */
  record Entry(
      String session,
      Lease lease,
      @Nullable ProcessIdentity process,
      int first,
      List<Begun> stories,
      @Nullable TaskPlan plan,
      @Nullable Flush flush,
      int learnings) {

    private Entry with(Lease lease, List<Begun> stories) {
      return new Entry(session, lease, process, first, stories, plan, flush, learnings);
    }

    private Entry with(TaskPlan plan) {
      return new Entry(session, lease, process, first, stories, plan, flush, learnings);
    }

    private Entry with(Flush flush) {
      return new Entry(session, lease, process, first, stories, plan, flush, learnings);
    }

    private Entry left(Instant when, int learnings) {
      return new Entry(session, lease.ended(when), process, 0, stories, plan, flush, learnings);
    }

    /** Returns the present story, or null. */
    @Nullable String story() {
      return stories.isEmpty() ? null : stories.get(stories.size() - 1).story();
    }

    /** Returns the stories to work on or to check when the present story was begun. */
    List<String> open() {
      return stories.isEmpty() ? List.of() : stories.get(stories.size() - 1).open();
    }

    /** Returns the present story at a time, or null. */
    @Nullable String storyAt(Instant time) {
      String story = null;
      for (Begun begun : stories) {
        story = begun.since().isAfter(time) ? story : begun.story();
      }
      return story;
    }

    boolean hasEnded() {
      return learnings >= 0;
    }

    /** Returns whether the session holds the change. */
    boolean isLive(Instant now) {
      if (hasEnded() || !lease.isHeld()) {
        return false;
      }
      return process == null ? lease.isLive(now) : process.isLive();
    }

    /** Returns a description of the session for people. */
    String describe() {
      return "session "
          + session
          + (process == null
              ? ", until " + lease.until()
              : ", while process " + process.pid() + " on " + process.host() + " runs");
    }
  }

  /**
   * The place for learnings, decided before they are written.
   *
   * @param size the size of the file before the learnings are appended, in bytes
   * @param learnings the total number of learnings, including those written before
   * @param after the number of the note before the first learning
   * @param last the number of the last note; 0 for the first {@code learnings} notes
   * @param date the date in the heading
   */
  record Flush(long size, int learnings, int after, int last, String date) {}

  /**
   * A begun story.
   *
   * @param story the id of the story, or null if all were complete
   * @param open the stories to work on or to check, including this story
   */
  record Begun(@Nullable String story, List<String> open, Instant since) {}

  private final Map<String, Entry> sessions;

  /** The session that held the change last, or null. */
  private @Nullable String holder;

  private ChangeState() {
    sessions = new LinkedHashMap<>();
  }

  private ChangeState(ChangeState other) {
    sessions = new LinkedHashMap<>(other.sessions);
    holder = other.holder;
  }

  /** Returns a session, or null if there is no such session. */
  @Nullable Entry session(String name) {
    return sessions.get(name);
  }

  /** Returns the sessions, in the order of their beginnings. */
  List<Entry> sessions() {
    return new ArrayList<>(sessions.values());
  }

  /** Returns the session that held the change last, or null. */
  @Nullable Entry holder() {
    return holder == null ? null : sessions.get(holder);
  }

  private static void apply(ChangeState state, Frame frame) {
    Meta meta = frame.meta();
    String name = meta.string("session");
    String action = meta.string("action");
    if (name == null || action == null) {
      return;
    }
    if (action.equals("init")) {
      state.init(name, frame);
      return;
    }
    Entry entry = state.sessions.get(name);
    if (entry != null && name.equals(state.holder)) {
      state.sessions.put(name, changed(entry, action, frame));
    }
  }

  private void init(String name, Frame frame) {
    Lease lease = Lease.of(frame);
    if (lease != null) {
      Entry before = sessions.get(name);
      int first = before == null ? 0 : before.first;
      sessions.put(
          name,
          new Entry(
              name,
              lease,
              ProcessIdentity.of(frame.meta()),
              first > 0 ? first : (int) frame.meta().integer("first").orElse(0),
              before == null ? List.of() : before.stories,
              before == null ? null : before.plan,
              before == null ? null : before.flush,
              -1));
      holder = name;
    }
  }

  private static Entry changed(Entry entry, String action, Frame frame) {
    Meta meta = frame.meta();
    switch (action) {
      case "renew":
        Lease lease = entry.lease.renewed(frame);
        return entry.with(lease, entry.stories);
      case "story":
        List<Begun> stories = new ArrayList<>(entry.stories);
        List<String> open = List.copyOf(meta.strings("open"));
        stories.add(new Begun(meta.string("story"), open, frame.time()));
        return entry.with(entry.lease, List.copyOf(stories));
      case "plan":
        return entry.with(TaskPlan.of(meta));
      case "leave":
        return entry.left(frame.time(), entry.learnings);
      case "flush":
        String date = meta.string("date");
        if (date == null) {
          return entry;
        }
        Flush flush =
            new Flush(
                Math.max(0, meta.integer("size").orElse(0)),
                (int) Math.max(0, meta.integer("learnings").orElse(0)),
                (int) meta.integer("after").orElse(0),
                (int) meta.integer("last").orElse(0),
                date);
        return entry.with(flush);
      case "end":
        int learnings = (int) Math.max(0, meta.integer("learnings").orElse(0));
        return entry.left(frame.time(), learnings);
      default:
        return entry;
    }
  }
}
