package dev.ralph.openspec;

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
 * Who works on a change, and how far they have got, out of the frames of its topic:
 *
 * <pre>
 * {action:init, session, owner, until, first, host?, pid?, …}   begins a session, or takes it up
 *                         again; with a process it has the change for as long as that lives;
 *                         the next iteration will have the number first
 * {action:renew, session, until}
 * {action:story, session, story?, open[]}                without a story all are complete; open are
 *                         the stories that are to be worked on or checked, this one among them
 * {action:plan, session, lines[]{key, story, title, id?, text}, gone[]}
 *                         the tasks of tasks.md as they were assigned, in the order of the file; a
 *                         line without id has no number there
 * {action:flush, session, size, learnings, after, last, date}
 *                         the learnings after that note, up to the last, go to that place of
 *                         design.md; so many there are by then. Frames of earlier versions lack
 *                         after and last: the first so many go there
 * {action:leave, session}                                the change is free; the session goes on
 * {action:end, session, learnings}                       the change is free again
 * </pre>
 */
final class ChangeState {

  static final Fold<ChangeState, ChangeState> FOLD =
      Fold.of("ralph.openspec", ChangeState::new, ChangeState::apply, ChangeState::new);

  /**
   * What is known of a session.
   *
   * @param lease the newest that it had
   * @param process whose life the lease lasts, instead of its time; null for the time
   * @param first the number of the first iteration since it had the change without leaving it,
   *     those of killed processes among them; 0 if it has left it, or that is not known
   * @param stories the stories that it has worked on, the one that it works on last
   * @param plan the tasks as they were assigned last; null if none were
   * @param flush where the last of its learnings go, once that is decided, or null
   * @param learnings how many were written, once it has ended; -1 before
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

    /** Returns the story that it works on, or null. */
    @Nullable String story() {
      return stories.isEmpty() ? null : stories.get(stories.size() - 1).story();
    }

    /** Returns the stories that were open when that was begun, or have become so meanwhile. */
    List<String> open() {
      return stories.isEmpty() ? List.of() : stories.get(stories.size() - 1).open();
    }

    /** Returns the story that it worked on at that time, or null. */
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

    /** Returns whether it keeps others from the change. */
    boolean isLive(Instant now) {
      if (hasEnded() || !lease.isHeld()) {
        return false;
      }
      return process == null ? lease.isLive(now) : process.isLive();
    }

    /** Returns what tells people who this is. */
    String describe() {
      return "session "
          + session
          + (process == null
              ? ", until " + lease.until()
              : ", as long as process " + process.pid() + " on " + process.host() + " runs");
    }
  }

  /**
   * Where learnings are written, decided before they are.
   *
   * @param size of the file before, in bytes
   * @param learnings how many there were, with those that were written before
   * @param after the number of the note after which they begin
   * @param last the number of the last of their notes; 0 where they are the first so many
   * @param date of the day, as the heading has it
   */
  record Flush(long size, int learnings, int after, int last, String date) {}

  /**
   * A story that was begun.
   *
   * @param story null where all were complete
   * @param open the stories that were still to be worked on or checked, this one among them
   */
  record Begun(@Nullable String story, List<String> open, Instant since) {}

  private final Map<String, Entry> sessions;

  /** The session that had the change last, or null. */
  private @Nullable String holder;

  private ChangeState() {
    sessions = new LinkedHashMap<>();
  }

  private ChangeState(ChangeState other) {
    sessions = new LinkedHashMap<>(other.sessions);
    holder = other.holder;
  }

  /** Returns the session of that name, or null. */
  @Nullable Entry session(String name) {
    return sessions.get(name);
  }

  /** Returns the sessions in the order in which they began. */
  List<Entry> sessions() {
    return new ArrayList<>(sessions.values());
  }

  /** Returns the session that had the change last, or null. */
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
