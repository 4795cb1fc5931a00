package dev.ralph.openspec.internal;

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
import dev.ralph.openspec.internal.ChangeState.Entry;
import dev.ralph.openspec.internal.ChangeState.Flush;
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
 * A session of exclusive work on a change. The session holds a lease in the log, which outlives the
 * process that acquired it. Learnings are notes of the Ralph session with the same name; {@code
 * tasks.md} is the source of truth for completed tasks.
 *
 * <pre>{@code
 * ChangeSession work = ChangeSession.begin(ralph, project, "add-login", null);
 * while (work.nextStory().isPresent()) {
 *   …
 * }
 * work.flush();
 * }</pre>
 *
 * <p>A method that changes state throws {@link ContendedException}, and changes nothing, once
 * another session holds the change. Safe for use by many threads and processes.
 */
public final class ChangeSession {

  /** The length of the lease after the last use of a session without an owner process. */
  public static final Duration LEASE = Duration.ofMinutes(15);

  /** A lease that was renewed within this time is not renewed again. */
  private static final Duration FRESH = Duration.ofMinutes(1);

  /** Separates the name of the change from the suffix of a session's name. */
  private static final char SEPARATOR = '-';

  /** The prefixes of the subject of a learning's note. */
  private static final String TASK = "task ";

  private static final String STORY = "story ";

  /** Maximum attempts to tick a task while other programs undo the tick. */
  private static final int TICKS = 100;

  /** Number and interval of attempts to read a change whose files are temporarily incomplete. */
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
   * Begins to work on a change, in a session with a new name.
   *
   * @param project the folder with {@code openspec}
   * @param owner the process for whose lifetime the session holds the change, or null to hold it
   *     for {@link #LEASE} after the last use
   * @throws NotFoundException if there is no such change
   * @throws ContendedException if another session holds the change; the message names the session
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
   * Resumes the newest session of a change that has not ended, for example after its process was
   * killed. Begins a session if none exists.
   *
   * @param project the folder with {@code openspec}
   * @param owner as with {@link #begin}
   * @throws NotFoundException if there is no such change
   * @throws ContendedException if the change is held; the message names the session
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

  /** Returns whether a name has the format of a session on a change. Reads nothing. */
  public static boolean isName(String session) {
    int end = session.length() - SUFFIX - 1;
    return end > 0 && session.charAt(end) == SEPARATOR && Topic.isSegment(session);
  }

  /**
   * Returns an existing session. Writes nothing.
   *
   * @param project the folder with {@code openspec}
   * @throws NotFoundException if there is no such session
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
            + " works on a change of "
            + project
            + "; list the sessions with: ralph agent session list");
  }

  /**
   * Returns all sessions on the project's changes, by change, oldest first.
   *
   * @param project the folder with {@code openspec}
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
   * Resumes this session, for example after the death of its process. Acquires the change unless
   * held by another session.
   *
   * @param owner as with {@link #begin}
   * @throws ContendedException if another session holds the change, or another live process holds
   *     this session
   * @throws RalphException INVALID if this session has ended
   */
  public void resume(@Nullable ProcessHandle owner) {
    requireOpen(entry());
    take(owner);
  }

  private void take(@Nullable ProcessHandle owner) {
    ProcessIdentity process = owner == null ? null : ProcessIdentity.of(owner);
    int first = nextIteration();
    ledger.decide(
        "starting work on " + change,
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
   * Returns the number of the first iteration since this session acquired the change. Resuming
   * after a killed process keeps the number; {@link #leave} resets the number.
   */
  int firstIteration() {
    int first = entry().first();
    return first == 0 ? nextIteration() : first;
  }

  /**
   * Returns whether a live holder prevents this session from acquiring the change for a process.
   */
  private boolean keepsOut(Entry holder, @Nullable ProcessIdentity process) {
    return !holder.session().equals(name())
        || holder.process() != null && !holder.process().equals(process);
  }

  /**
   * Releases the change without ending this session, which can be {@linkplain #resume resumed}.
   * Does nothing if another session holds the change.
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
   * Ends this session and releases the change, without writing the learnings. Does nothing if the
   * session has ended.
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
   * Appends the learnings to {@code design.md} and ends the session. The learnings are appended
   * once, even if this method is interrupted and called again.
   *
   * @return the number of written learnings; 0 if an earlier call has written them
   * @throws RalphException IO if the file can't be written; call the method again after the cause
   *     is removed
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

  /** Decides on the place for the learnings after a note. Returns null if there are none. */
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
   * Writes the learnings of a decision, except those that were removed since.
   *
   * @return the number of the last note among these learnings
   */
  private int write(Flush flush, DesignFile file) {
    int last = flush.last() > 0 ? flush.last() : numberOf(flush.learnings());
    List<Learning> learnings = learnings(flush.after(), last);
    if (!learnings.isEmpty()) {
      file.append(learnings, flush.size(), flush.date());
    }
    return last;
  }

  /** Returns the number of the last of the first {@code count} notes. */
  private int numberOf(int count) {
    return notes().stream().limit(count).mapToInt(Note::number).max().orElse(0);
  }

  // ---- the lease

  private Entry entry() {
    return Objects.requireNonNull(ledger.state().session(name()), "the session's entry");
  }

  /**
   * Checks that this session holds the change, and renews its lease.
   *
   * @throws ContendedException if another session holds the change
   * @throws RalphException INVALID if this session has ended
   */
  public void renew() {
    ledger.decide(
        "renewing the claim on " + change,
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
    Entry holder = Objects.requireNonNull(state.holder(), "the holder of the change");
    Entry own = Objects.requireNonNull(state.session(name()), "the session's entry");
    if (!holder.session().equals(name())) {
      throw heldBy(holder);
    }
    requireOpen(own);
    return own;
  }

  private void requireOpen(Entry own) {
    if (own.hasEnded()) {
      throw RalphException.invalid(
          "the session " + name() + " has ended; start a new session on the change " + change);
    }
  }

  private ContendedException heldBy(Entry holder) {
    return RalphException.contended(
        "the change " + change + " is already claimed by " + holder.describe());
  }

  // ---- stories and tasks

  /** Returns the name of the session, which is also the name of the Ralph session. */
  public String name() {
    return session.name();
  }

  /** Returns the Ralph session whose notes are the learnings. */
  public Session session() {
    return session;
  }

  /** Returns the folder with {@code openspec}. */
  public Path project() {
    return project;
  }

  /** Returns the name of the change. */
  public String changeName() {
    return change;
  }

  /**
   * Returns the topic of all sessions on the change. The topic identifies the owner of the change's
   * {@linkplain dev.ralph.core.Worktree work tree}.
   */
  public Topic topic() {
    return topic;
  }

  /**
   * Returns the change as its folder is now. A task or story without a number keeps the id of its
   * first observation by the session, even after edits of the file.
   */
  public Change change() {
    return change(plan());
  }

  private Change change(TaskPlan plan) {
    return Change.read(project, change).with(plan);
  }

  /** Returns the tasks of the last assignment. */
  TaskPlan plan() {
    return Objects.requireNonNullElse(entry().plan(), TaskPlan.NONE);
  }

  /**
   * Records the present tasks as assigned to the reader of the returned change. From now on {@link
   * #done} finds a task by its present id, even if the file is edited meanwhile. Does nothing if
   * the tasks equal those of the last assignment.
   *
   * @return the recorded change
   */
  public Change assign() {
    Change now = change();
    assign(now);
    return now;
  }

  void assign(Change now) {
    TaskPlan before = plan();
    TaskPlan next = before.next(now.stories());
    if (!next.isEqual(before)) {
      append("assigning the tasks of " + change, next.addTo(Meta.of("action", "plan")));
    }
  }

  /** Returns whether the session has ended. */
  public boolean hasEnded() {
    return entry().hasEnded();
  }

  /** Returns whether the session holds the change at this moment. */
  public boolean isLive() {
    ChangeState state = ledger.state();
    Entry holder = state.holder();
    return holder != null
        && holder.session().equals(name())
        && holder.isLive(session.clock().instant());
  }

  /**
   * Returns whether a loop works on the change: the session is bound to the process of the loop.
   */
  public boolean isHeldBy(RunningLoop loop) {
    ProcessIdentity process = entry().process();
    return loop.live()
        && process != null
        && process.pid() == loop.pid()
        && process.host().equals(loop.host());
  }

  /** Returns the id of the story that {@link #nextStory} returned last, if any. */
  public Optional<String> story() {
    return Optional.ofNullable(entry().story());
  }

  /** Returns the first story that is not complete, and records it as the present story. */
  public Optional<Story> nextStory() {
    Optional<Story> next = change().nextStory();
    begin(next.map(Story::id).orElse(null));
    return next;
  }

  /** Records the present story; null if all stories are complete. */
  void begin(@Nullable String story) {
    if (Objects.equals(story, entry().story())) {
      renew();
    } else {
      append(
          "continuing " + change,
          Meta.of("action", "story")
              .with("story", story)
              .with("open", unfinished().stream().map(Story::id).toList()));
    }
  }

  /**
   * Returns the stories to work on or to check after the present story. Includes each story ticked
   * during the work on another story, because its checks have not run.
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

  /**
   * Records the first {@linkplain #unfinished unfinished} story as the present story, and returns
   * it.
   */
  Optional<Story> storyAfter() {
    Optional<Story> next = unfinished().stream().findFirst();
    begin(next.map(Story::id).orElse(null));
    return next;
  }

  /**
   * Returns a story as it is now.
   *
   * @throws NotFoundException if there is no such story; the message names the existing stories
   */
  public Story story(String id) {
    return change().requireStory(id);
  }

  /** Returns the present story, complete or not, or the next story if none exists. */
  Optional<Story> storyToFinish() {
    Change now = change();
    Optional<Story> begun = story().flatMap(now::story);
    return begun.isPresent() ? begun : now.nextStory();
  }

  /**
   * Synchronises the tasks of a story with the tasks of the Ralph session. Agents of the session
   * see a single list. Each task of the story is a task of the session, with its number as the
   * {@linkplain dev.ralph.NewTask#key key}.
   *
   * <p>A task completed in the session is ticked in {@code tasks.md}, and vice versa. A task
   * unticked in the file is reopened; a task whose line was removed is cancelled. The method may be
   * called again after an interruption at any point.
   *
   * @return the story afterwards
   * @throws NotFoundException if there is no such story
   * @throws RalphException INVALID if several tasks have the same id, or a task can't be ticked
   */
  public Story sync(String story) {
    renew();
    return new TaskMirror(this, story, true).sync();
  }

  /** Does the same as {@link #sync}, but does not tick completed tasks: the merge ticks them. */
  Story syncWithoutTicking(String story) {
    renew();
    return new TaskMirror(this, story, false).sync();
  }

  /**
   * Ticks a task in {@code tasks.md}. Does nothing if the task is ticked. Many threads and
   * processes may tick tasks at once, and no tick is lost: a tick overwrites only a single byte in
   * place. An editor that read the file earlier and saves it at that moment overwrites the tick, as
   * any later save would.
   *
   * @param story the present story
   * @return the story afterwards
   * @throws NotFoundException if there is no such story or task
   * @throws OtherStoryException if the task belongs to another story
   * @throws RalphException INVALID if several tasks have the id, or the task can't be ticked;
   *     CONTENDED if other programs repeatedly undo the tick
   */
  public Story done(String story, String task) {
    Objects.requireNonNull(story, "story");
    Objects.requireNonNull(task, "task");
    renew();
    return tick(story, task);
  }

  /**
   * Returns the task that had an id at the last {@linkplain #assign assignment}, or has it now.
   *
   * @throws NotFoundException if there is no such story or task
   * @throws OtherStoryException if the task belongs to another story
   * @throws RalphException INVALID if several tasks have the id, or if the file was edited and the
   *     task is ambiguous
   */
  public StoryTask task(String story, String id) {
    TaskPlan plan = plan();
    return find(whole(plan, id), plan, story, id);
  }

  /** Ticks a task by its id or key; the caller holds the change. */
  Story tick(String story, String task) {
    for (int attempt = 0; attempt < TICKS; attempt++) {
      TaskPlan plan = plan();
      Change now = whole(plan, task);
      StoryTask found = find(now, plan, story, task);
      if (found.done()) {
        return now.requireStory(story);
      }
      // An editor may replace the file meanwhile, so the tick counts once it is read from the file.
      TaskTick.set(now.file(TaskFile.NAME), found, now.taskFile().place(found));
    }
    throw RalphException.contended(
        "task "
            + task
            + " could not be ticked: a concurrent writer keeps changing "
            + change().folder().resolve(TaskFile.NAME)
            + "; try again");
  }

  /**
   * Reads the change until it is as expected, for at most half a second. Parts may be missing
   * temporarily while an editor or git writes the file.
   */
  Change whole(Predicate<Change> expected) {
    return whole(plan(), expected);
  }

  private Change whole(TaskPlan plan, Predicate<Change> expected) {
    Change now = change(plan);
    for (int look = 0; look < LOOKS && !expected.test(now); look++) {
      LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
      now = change(plan);
    }
    return now;
  }

  /** Reads the change until it contains a task, for at most half a second. */
  private Change whole(TaskPlan plan, String id) {
    String key = Objects.requireNonNullElse(plan.key(id), id);
    return whole(plan, change -> change.hasKey(key));
  }

  private StoryTask find(Change now, TaskPlan plan, String storyId, String id) {
    Story story = now.requireStory(storyId);
    String key = Objects.requireNonNullElse(plan.key(id), id);
    Optional<Story> holder =
        now.stories().stream()
            .filter(each -> each.tasks().stream().anyMatch(task -> task.key().equals(key)))
            .findFirst();
    if (holder.isEmpty() && plan.key(id) != null) {
      throw new PlanChangedException(
          "tasks.md was edited, and no line of it corresponds to task "
              + id
              + ", so no box was ticked; read the tasks again, then tick the right task");
    }
    if (holder.isEmpty()) {
      throw RalphException.notFound(
          "story "
              + story.id()
              + " has no task "
              + RalphException.quote(id)
              + "; available: "
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
          "several tasks have the number " + found.id() + "; number them uniquely in tasks.md");
    }
    return found;
  }

  // ---- learnings

  /**
   * Adds a learning.
   *
   * @param story the present story, or null
   * @param task the task that the learning concerns, or null
   * @return the number of learnings afterwards
   * @throws NotFoundException if there is no such task
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

  /** Returns the notes of the learnings, without reading their texts. */
  private List<Note> notes() {
    return session.notes().byType(NoteLog.LEARNING);
  }

  /** Returns the learnings of this session, oldest first. */
  public List<Learning> learnings() {
    return learnings(0, Integer.MAX_VALUE);
  }

  /** Returns the learnings of the notes after a number, up to the last number. */
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
      story = entry().storyAt(note.added()); // notes of agents name no story
    }
    return new Learning(note.content(), story, task, note.added());
  }

  /** Returns the story at the beginning of a task's number. */
  private static String storyOf(String task) {
    int end = task.indexOf('.');
    return end < 0 ? task : task.substring(0, end);
  }

  @Override
  public String toString() {
    return name();
  }
}
