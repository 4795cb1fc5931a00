package dev.ralph.openspec;

import dev.ralph.Control.RunningLoop;
import dev.ralph.Iteration;
import dev.ralph.Note;
import dev.ralph.NoteLog;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.domain.Lease;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.domain.Timestamp;
import dev.ralph.log.ContendedException;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Ledger;
import dev.ralph.log.Meta;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.openspec.ChangeState.Entry;
import dev.ralph.openspec.ChangeState.Flush;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One orchestrator's work on a change. While it lasts nobody else works on the change: it holds a
 * lease in the log, which outlives the process that took it. Learnings are notes of the Ralph
 * session of the same name; {@code tasks.md} is the truth about what is done.
 *
 * <pre>{@code
 * ChangeSession work = ChangeSession.begin(ralph, project, "add-login", null);
 * while (work.nextStory().isPresent()) {
 *   …
 * }
 * work.flush();
 * }</pre>
 *
 * <p>A method that changes something throws {@link ContendedException} once another session has the
 * change, and changes nothing then. Safe for use by many threads and processes.
 */
public final class ChangeSession {

  /** For how long the change is kept after the last use, where no process keeps it. */
  public static final Duration LEASE = Duration.ofMinutes(15);

  /** A lease that was renewed less than that long ago is long enough. */
  private static final Duration FRESH = Duration.ofMinutes(1);

  /** Stands between the change's name and what tells its sessions apart, in a session's name. */
  private static final char SEPARATOR = '-';

  /** What a learning is about, as its note says it. */
  private static final String TASK = "task ";

  private static final String STORY = "story ";

  /** How often a tick is tried that others undo. */
  private static final int TICKS = 100;

  /** How often, and how long apart, it is looked whether what lacks in the files is there again. */
  private static final int LOOKS = 10;

  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

  private static final int SUFFIX = 8;
  private static final String LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";

  private final Session session;
  private final Path project;
  private final String change;
  private final Topic topic;
  private final Ledger<ChangeState> ledger;

  private ChangeSession(Ralph ralph, Path project, String change, String session) {
    this.session = ralph.session(session);
    this.project = project;
    this.change = change;
    this.topic = topic(change);
    this.ledger = ralph.ledger(topic, ChangeState.FOLD);
  }

  private static Topic topic(String change) {
    return Topic.of("openspec").child(Topic.checkSegment("change", change)).child("session");
  }

  // ---- beginning and ending

  /**
   * Begins to work on a change, in a session of a new name.
   *
   * @param project the folder that {@code openspec} is in
   * @param owner the process for whose life nobody else works on the change; null for {@link
   *     #LEASE} after the last use
   * @throws NotFoundException if there is no such change
   * @throws ContendedException if another session has it; the message names it
   */
  public static ChangeSession begin(
      Ralph ralph, Path project, String change, @Nullable ProcessHandle owner) {
    Change.read(project, change);
    ChangeSession begun =
        new ChangeSession(ralph, project, change, change + SEPARATOR + randomSuffix());
    begun.take(owner);
    return begun;
  }

  /**
   * Goes on with the newest session on a change that has not ended, such as one whose process was
   * killed; begins one if there is none.
   *
   * @param project the folder that {@code openspec} is in
   * @param owner as with {@link #begin}
   * @throws NotFoundException if there is no such change
   * @throws ContendedException if somebody else works on it; the message names the session
   */
  public static ChangeSession open(
      Ralph ralph, Path project, String change, @Nullable ProcessHandle owner) {
    Change.read(project, change);
    Optional<String> left =
        ralph.ledger(topic(change), ChangeState.FOLD).state().sessions().stream()
            .filter(entry -> !entry.hasEnded())
            .map(Entry::session)
            .reduce((older, newer) -> newer);
    if (left.isEmpty()) {
      return begin(ralph, project, change, owner);
    }
    ChangeSession found = new ChangeSession(ralph, project, change, left.get());
    found.resume(owner);
    return found;
  }

  private static String randomSuffix() {
    SecureRandom random = new SecureRandom();
    StringBuilder suffix = new StringBuilder();
    for (int i = 0; i < SUFFIX; i++) {
      suffix.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
    }
    return suffix.toString();
  }

  /** Returns whether a session of that name may be one on a change. Nothing is read. */
  public static boolean isName(String session) {
    int end = session.length() - SUFFIX - 1;
    return end > 0 && session.charAt(end) == SEPARATOR && Topic.isSegment(session);
  }

  /**
   * Returns the session of that name, which has been begun. Nothing is written.
   *
   * @param project the folder that {@code openspec} is in
   * @throws NotFoundException if none of that name has been begun
   */
  public static ChangeSession of(Ralph ralph, Path project, String session) {
    if (isName(session)) {
      String change = session.substring(0, session.length() - SUFFIX - 1);
      ChangeSession found = new ChangeSession(ralph, project, change, session);
      if (found.ledger.state().session(session) != null) {
        return found;
      }
    }
    throw RalphException.notFound(
        "no session "
            + RalphException.quote(session)
            + " has been begun on a change of "
            + project
            + "; ralph agent session list shows those that have");
  }

  /**
   * Returns all sessions that were begun on the project's changes, by change, the oldest first.
   *
   * @param project the folder that {@code openspec} is in
   */
  public static List<ChangeSession> list(Ralph ralph, Path project) {
    List<ChangeSession> all = new ArrayList<>();
    for (String change : Change.names(project)) {
      if (Topic.isSegment(change)) {
        for (Entry entry : ralph.ledger(topic(change), ChangeState.FOLD).state().sessions()) {
          all.add(new ChangeSession(ralph, project, change, entry.session()));
        }
      }
    }
    return all;
  }

  /**
   * Goes on with this session, as after the death of the process that drove it: takes the change if
   * nobody else has it.
   *
   * @param owner as with {@link #begin}
   * @throws ContendedException if another session has the change, or another process that lives has
   *     this one
   * @throws RalphException INVALID if this one has ended
   */
  public void resume(@Nullable ProcessHandle owner) {
    requireOpen(entry());
    take(owner);
  }

  private void take(@Nullable ProcessHandle owner) {
    ProcessIdentity process = owner == null ? null : ProcessIdentity.of(owner);
    int first = nextIteration();
    ledger.decide(
        "beginning to work on " + change,
        (state, now) -> {
          Entry holder = state.holder();
          if (holder != null && keepsOut(holder, process) && holder.isLive(now)) {
            throw heldBy(holder);
          }
          Meta meta =
              Meta.of("action", "init")
                  .with("session", name())
                  .with("owner", name())
                  .with("until", Timestamp.of(Lease.end(now, LEASE)))
                  .with("first", first);
          return Decision.append(
              Draft.of(topic, process == null ? meta : process.in(meta)), after -> true);
        });
  }

  private int nextIteration() {
    return session.iterations().last().map(Iteration::number).orElse(0) + 1;
  }

  /**
   * Returns the number of the first iteration since this session had the change without leaving it:
   * of this process, or of a killed one whose place it took.
   */
  int firstIteration() {
    int first = entry().first();
    return first == 0 ? nextIteration() : first;
  }

  /** Returns whether a session, while it lasts, is not to be taken by this one for that process. */
  private boolean keepsOut(Entry holder, @Nullable ProcessIdentity process) {
    return !holder.session().equals(name())
        || holder.process() != null && !holder.process().equals(process);
  }

  /**
   * Leaves the change to others without ending this session, which can be {@linkplain #resume
   * resumed}. Does nothing if another session has it already.
   */
  public void leave() {
    ledger.decide(
        "leaving " + change,
        (state, now) -> {
          Entry holder = state.holder();
          return holder == null || !holder.session().equals(name()) || !holder.isLive(now)
              ? Decision.nothing(false)
              : Decision.append(
                  Draft.of(topic, Meta.of("action", "leave").with("session", name())),
                  after -> true);
        });
  }

  /**
   * Ends this session without writing its learnings anywhere, and leaves the change to others. Does
   * nothing if it has ended.
   */
  public void end() {
    if (!entry().hasEnded()) {
      end(0);
    }
  }

  private void end(int learnings) {
    append("ending " + name(), Meta.of("action", "end").with("learnings", learnings));
  }

  /**
   * Appends the learnings to {@code design.md}, once, however often this is called or cut off, and
   * ends the session.
   *
   * @return how many were written; 0 if that was done before
   * @throws RalphException IO if the file can't be written; call it again then
   */
  public int flush() {
    if (entry().hasEnded()) {
      return 0;
    }
    renew();
    DesignFile file = new DesignFile(Change.folder(project, change));
    Flush begun = entry().flush();
    int last = begun == null ? 0 : write(begun, file);
    for (Flush next = flushAfter(last, file); next != null; next = flushAfter(last, file)) {
      last = write(next, file);
    }
    int written = learnings(0, last).size();
    end(written);
    return written;
  }

  /** Decides where the learnings after a note go; returns null if there are none. */
  private @Nullable Flush flushAfter(int note, DesignFile file) {
    List<Note> notes = notes();
    int last = notes.isEmpty() ? 0 : notes.get(notes.size() - 1).number();
    if (last <= note) {
      return null;
    }
    LocalDate today = LocalDate.ofInstant(session.clock().instant(), ZoneId.systemDefault());
    append(
        "writing the learnings of " + name(),
        Meta.of("action", "flush")
            .with("size", file.size())
            .with("learnings", notes.size())
            .with("after", note)
            .with("last", last)
            .with("date", today.toString()));
    return entry().flush();
  }

  /**
   * Writes what was decided, but for learnings that were removed since.
   *
   * @return the number of the last note of these
   */
  private int write(Flush flush, DesignFile file) {
    int last = flush.last() > 0 ? flush.last() : numberOf(flush.learnings());
    List<Learning> learnings = learnings(flush.after(), last);
    if (!learnings.isEmpty()) {
      file.append(learnings, flush.size(), flush.date());
    }
    return last;
  }

  /** Returns the number of the note that is the last of the first so many. */
  private int numberOf(int count) {
    return notes().stream().limit(count).mapToInt(Note::number).max().orElse(0);
  }

  // ---- the lease

  private Entry entry() {
    return Objects.requireNonNull(ledger.state().session(name()), "a session that was begun");
  }

  /**
   * Makes sure that this session has the change, and will have it for a while.
   *
   * @throws ContendedException if another session has it
   * @throws RalphException INVALID if this one has ended
   */
  public void renew() {
    ledger.decide(
        "keeping " + change,
        (state, now) -> {
          Entry own = requireHeld(state);
          boolean isFresh =
              own.lease().isLive(now) && now.plus(LEASE).minus(FRESH).isBefore(own.lease().until());
          Meta meta =
              Meta.of("action", "renew")
                  .with("session", name())
                  .with("until", Timestamp.of(Lease.end(now, LEASE)));
          return own.process() != null || isFresh
              ? Decision.nothing(true)
              : Decision.append(Draft.of(topic, meta), after -> true);
        });
  }

  private void append(String what, Meta meta) {
    ledger.decide(
        what,
        (state, now) -> {
          requireHeld(state);
          return Decision.append(Draft.of(topic, meta.with("session", name())), after -> true);
        });
  }

  private Entry requireHeld(ChangeState state) {
    Entry holder = Objects.requireNonNull(state.holder(), "a change that is worked on");
    Entry own = Objects.requireNonNull(state.session(name()), "a session that was begun");
    if (!holder.session().equals(name())) {
      throw heldBy(holder);
    }
    requireOpen(own);
    return own;
  }

  private void requireOpen(Entry own) {
    if (own.hasEnded()) {
      throw RalphException.invalid(
          "the session " + name() + " has ended; begin another on the change " + change);
    }
  }

  private ContendedException heldBy(Entry holder) {
    return RalphException.contended(
        "the change " + change + " is worked on already, by " + holder.describe());
  }

  // ---- stories and tasks

  /** Returns the session's name, which is that of the Ralph session as well. */
  public String name() {
    return session.name();
  }

  /** Returns the Ralph session whose notes are the learnings. */
  public Session session() {
    return session;
  }

  /** Returns the folder that {@code openspec} is in. */
  public Path project() {
    return project;
  }

  /** Returns the name of the change that it is on. */
  public String changeName() {
    return change;
  }

  /**
   * Returns the change as its folder has it now. A task or story without a number has the id at
   * which the session saw it first, also where the file was edited since.
   */
  public Change change() {
    return Change.read(project, change).with(plan());
  }

  /** Returns the tasks as they were assigned last. */
  TaskPlan plan() {
    return Objects.requireNonNullElse(entry().plan(), TaskPlan.NONE);
  }

  /**
   * Records which tasks there are, as whoever reads the change now is assigned these tasks. From
   * now on {@link #done} finds a task by what it was at this moment, also where the file is edited
   * before. Does nothing if the tasks are those that were assigned last.
   *
   * @return the change as it was recorded
   */
  public Change assign() {
    Change now = change();
    assign(now);
    return now;
  }

  void assign(Change now) {
    TaskPlan before = plan();
    TaskPlan next = before.next(now.stories());
    if (!next.equals(before)) {
      append("assigning the tasks of " + change, next.addTo(Meta.of("action", "plan")));
    }
  }

  /** Returns whether the session has ended. */
  public boolean hasEnded() {
    return entry().hasEnded();
  }

  /** Returns whether it keeps others from the change at this moment. */
  public boolean isLive() {
    ChangeState state = ledger.state();
    Entry holder = state.holder();
    return holder != null
        && holder.session().equals(name())
        && holder.isLive(session.clock().instant());
  }

  /**
   * Returns whether that loop works through the change: its process has the change for its life.
   */
  public boolean isHeldBy(RunningLoop loop) {
    ProcessIdentity process = entry().process();
    return loop.live()
        && process != null
        && process.pid() == loop.pid()
        && process.host().equals(loop.host());
  }

  /** Returns the id of the story that was last returned by {@link #nextStory}, or empty. */
  public Optional<String> story() {
    return Optional.ofNullable(entry().story());
  }

  /** Returns the first story that is not complete, and keeps it as the one to work on. */
  public Optional<Story> nextStory() {
    Optional<Story> next = change().nextStory();
    begin(next.map(Story::id).orElse(null));
    return next;
  }

  /** Keeps a story as the one to work on; null where all are complete. */
  void begin(@Nullable String story) {
    if (Objects.equals(story, entry().story())) {
      renew();
    } else {
      append(
          "going on with " + change,
          Meta.of("action", "story")
              .with("story", story)
              .with("open", unfinished().stream().map(Story::id).toList()));
    }
  }

  /**
   * Returns the stories that are to be worked on or checked after the present one. One that was
   * ticked while another was worked on is among them, because nobody has checked it by itself.
   */
  List<Story> unfinished() {
    Entry entry = entry();
    return change().stories().stream()
        .filter(
            story ->
                !story.isComplete()
                    || entry.open().contains(story.id()) && !story.id().equals(entry.story()))
        .toList();
  }

  /** Keeps the first {@linkplain #unfinished unfinished} story as the one to work on. */
  Optional<Story> storyAfter() {
    Optional<Story> next = unfinished().stream().findFirst();
    begin(next.map(Story::id).orElse(null));
    return next;
  }

  /**
   * Returns a story as it is now.
   *
   * @throws NotFoundException if the change has none of that id; the message names those it has
   */
  public Story story(String id) {
    return change().requireStory(id);
  }

  /** Returns the story that was begun last, complete or not, or the next one. */
  Optional<Story> storyToFinish() {
    Change now = change();
    Optional<Story> begun = story().flatMap(now::story);
    return begun.isPresent() ? begun : now.nextStory();
  }

  /**
   * Brings the tasks of a story and those of the Ralph session into line, so that who works on the
   * session sees one list. Each task of the story is a task of the session, its number the
   * {@linkplain dev.ralph.NewTask#key key}. A task that was completed in the session is ticked in
   * {@code tasks.md}; what is ticked there is complete here too; one that somebody unticks there is
   * open again; and one whose line is gone is cancelled. Does nothing where there is nothing to do,
   * and may be called again after it was cut off anywhere.
   *
   * @return the story after that
   * @throws NotFoundException if the change has no such story
   * @throws RalphException INVALID if several tasks have one id, or if a box can't be ticked
   */
  public Story sync(String story) {
    renew();
    return new TaskMirror(this, story, true).sync();
  }

  /** As {@link #sync}, but for ticking what was completed in the session: landing does that. */
  Story syncWithoutTicking(String story) {
    renew();
    return new TaskMirror(this, story, false).sync();
  }

  /**
   * Ticks a task in {@code tasks.md}. One that is ticked stays so. Many threads and processes may
   * tick at once, each the same tasks or others, and every tick lasts: it is one byte that is
   * written in place, and nothing else is. What somebody saves at that moment, who has read the
   * file before, counts instead, as it would a moment later.
   *
   * @param story the story that is worked on
   * @return the story after that
   * @throws NotFoundException if there is no such story or task
   * @throws OtherStoryException if the task is another story's
   * @throws RalphException INVALID if several tasks have that id, or if its box can't be ticked;
   *     CONTENDED if somebody undoes the tick again and again
   */
  public Story done(String story, String task) {
    Objects.requireNonNull(story, "story");
    Objects.requireNonNull(task, "task");
    renew();
    return tick(story, task);
  }

  /**
   * Returns the task that had an id when the tasks were {@linkplain #assign assigned} last, or else
   * has it now.
   *
   * @throws NotFoundException if there is no such story or task
   * @throws OtherStoryException if the task is another story's
   * @throws RalphException INVALID if several tasks have that id, or if the file was edited so that
   *     the task cannot be told from others
   */
  public StoryTask task(String story, String id) {
    return find(whole(change -> change.hasKey(key(id))), story, id);
  }

  private String key(String id) {
    return Objects.requireNonNullElse(plan().key(id), id);
  }

  /** Ticks the task of an id or key; the caller has the change. */
  Story tick(String story, String task) {
    for (int attempt = 0; attempt < TICKS; attempt++) {
      Change now = whole(change -> change.hasKey(key(task)));
      StoryTask found = find(now, story, task);
      if (found.done()) {
        return now.requireStory(story);
      }
      // An editor may put another file in its place meanwhile, so it counts once it is read there.
      Tick.set(now.file(TaskFile.NAME), found, now.taskFile().place(found));
    }
    throw RalphException.contended(
        "task "
            + task
            + " could not be ticked, because somebody keeps writing "
            + change().folder().resolve(TaskFile.NAME)
            + "; try again");
  }

  /**
   * Reads the change until it is as expected, or half a second has passed: what is not there may
   * lack only while an editor or git writes the file.
   */
  Change whole(Predicate<Change> expected) {
    Change now = change();
    for (int look = 0; look < LOOKS && !expected.test(now); look++) {
      LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
      now = change();
    }
    return now;
  }

  private StoryTask find(Change now, String storyId, String id) {
    Story story = now.requireStory(storyId);
    String key = key(id);
    Optional<Story> holder =
        now.stories().stream()
            .filter(each -> each.tasks().stream().anyMatch(task -> task.key().equals(key)))
            .findFirst();
    if (holder.isEmpty() && plan().key(id) != null) {
      throw new PlanChangedException(
          "tasks.md was edited, and no line of it corresponds to task "
              + id
              + " any more, so nothing was ticked; read the tasks again, and tick the right one");
    }
    if (holder.isEmpty()) {
      throw RalphException.notFound(
          "story "
              + story.id()
              + " has no task "
              + RalphException.quote(id)
              + "; there are "
              + String.join(", ", story.tasks().stream().map(StoryTask::id).toList()));
    }
    if (!holder.get().id().equals(story.id())) {
      throw new OtherStoryException(
          "task " + id + " belongs to story " + holder.get().id() + ", not to " + story.id());
    }
    StoryTask found =
        story.tasks().stream().filter(task -> task.key().equals(key)).findFirst().orElseThrow();
    if (now.count(found.id()) > 1) {
      throw RalphException.invalid(
          "several tasks are numbered "
              + found.id()
              + "; give each a number of its own in tasks.md");
    }
    return found;
  }

  // ---- learnings

  /**
   * Keeps a learning.
   *
   * @param story the story that is worked on, or null
   * @param task the task that it is about, or null
   * @return how many there are now
   * @throws NotFoundException if the change has no such task
   * @throws RalphException INVALID if the text is blank
   */
  public int learn(String text, @Nullable String story, @Nullable String task) {
    if (task != null) {
      change().requireTask(task);
    }
    renew();
    String about = task != null ? TASK + task : story != null ? STORY + story : null;
    session.notes().add(NoteLog.LEARNING, text, 0, about);
    return notes().size();
  }

  /** Returns the learnings as they are kept: nothing of their texts is read for that. */
  private List<Note> notes() {
    return session.notes().byType(NoteLog.LEARNING);
  }

  /** Returns the learnings of this session, oldest first. */
  public List<Learning> learnings() {
    return learnings(0, Integer.MAX_VALUE);
  }

  /** Returns the learnings whose notes are after that number, up to the last one. */
  private List<Learning> learnings(int after, int last) {
    List<Learning> all = new ArrayList<>();
    for (Note note : notes()) {
      if (note.number() > after && note.number() <= last) {
        all.add(learning(note));
      }
    }
    return all;
  }

  private Learning learning(Note note) {
    String about = note.about() == null ? "" : note.about();
    String task = about.startsWith(TASK) ? about.substring(TASK.length()) : null;
    String story = task == null ? null : storyOf(task);
    if (about.startsWith(STORY)) {
      story = about.substring(STORY.length());
    } else if (about.isEmpty()) {
      story = entry().storyAt(note.added()); // an agent notes what, and not where
    }
    return new Learning(note.content(), story, task, note.added());
  }

  /** Returns the story that a task's number begins with. */
  private static String storyOf(String task) {
    int end = task.indexOf('.');
    return end < 0 ? task : task.substring(0, end);
  }

  @Override
  public String toString() {
    return name();
  }
}
