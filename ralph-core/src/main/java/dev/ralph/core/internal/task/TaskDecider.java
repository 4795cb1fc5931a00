package dev.ralph.core.internal.task;

import dev.ralph.Claim;
import dev.ralph.NewTask;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.Task.Status;
import dev.ralph.TaskEdit;
import dev.ralph.TaskLog;
import dev.ralph.domain.KeptText;
import dev.ralph.domain.Lease;
import dev.ralph.domain.Timestamp;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The rules for changing tasks: pure functions of the tasks and the time. */
final class TaskDecider {

  private final Topic topic;

  TaskDecider(Topic topic) {
    this.topic = topic;
  }

  Decision<Tasks, Task> add(Tasks tasks, NewTask task) {
    Added added = new Added(tasks, List.of(task));
    added.add(task);
    return added.decision(all -> all.get(0));
  }

  Decision<Tasks, List<Task>> addAll(Tasks tasks, List<NewTask> list) {
    Added added = new Added(tasks, list);
    for (int i = 0; i < list.size(); i++) {
      try {
        added.add(list.get(i));
      } catch (RalphException e) {
        throw e.withMessage("task #" + (i + 1) + " of the list: " + e.getMessage());
      }
    }
    return added.decision(all -> all);
  }

  /** Tasks added in one decision. */
  private final class Added {

    private final Tasks tasks;

    /** The ids or placeholders of known tasks, by key. */
    private final Map<String, String> keys;

    private final List<Draft> drafts = new ArrayList<>();

    /**
     * By position in the list: the id of a known task, or {@code #n} for a new task without an id.
     */
    private final List<String> names = new ArrayList<>();

    Added(Tasks tasks, List<NewTask> list) {
      this.tasks = tasks;
      this.keys =
          list.stream().allMatch(task -> task.key() == null) ? new HashMap<>() : tasks.keys();
    }

    void add(NewTask task) {
      String key = task.key();
      if (key != null && key.isBlank()) {
        throw RalphException.invalid("the key of a task must not be blank; omit the key for none");
      }
      String known = key == null ? null : keys.get(key);
      if (known != null) {
        names.add(known);
        return;
      }
      String name = "#" + (tasks.highestNumber() + drafts.size() + 1);
      drafts.add(draft(task));
      names.add(name);
      if (key != null) {
        keys.put(key, name);
      }
    }

    private Draft draft(NewTask task) {
      checkContent(task.content());
      checkPriority(task.priority());
      checkIteration(task.iteration());
      PathPatterns.check(task.touches());
      List<String> dependencies =
          task.dependencies().stream().map(this::dependency).distinct().toList();
      Meta meta =
          Meta.of("action", "add")
              .with("status", task.status().word())
              .with("n", tasks.highestNumber() + drafts.size() + 1)
              .with(
                  "priority", task.priority() == TaskLog.DEFAULT_PRIORITY ? null : task.priority())
              .with("depends", dependencies.isEmpty() ? null : dependencies)
              .with("touches", task.touches().isEmpty() ? null : task.touches())
              .with("iteration", task.iteration() == 0 ? null : task.iteration())
              .with("key", task.key());
      return Draft.of(topic, KeptText.announce(meta, task.content()), task.content());
    }

    /** Returns the dependency as written to the frame: an id, or {@code #n} for a new task. */
    private String dependency(String ref) {
      if (!ref.startsWith("#") || names.isEmpty()) {
        return tasks.entry(tasks.find(ref)).id();
      }
      for (int place = 1; place <= names.size(); place++) {
        if (ref.equals("#" + place)) {
          return names.get(place - 1);
        }
      }
      throw RalphException.invalid(
          "no task " + RalphException.quote(ref) + " before this task; use #1 to #" + names.size());
    }

    /**
     * Returns the decision.
     *
     * @param answer creates the result from the tasks in the order of the list
     */
    <R> Decision<Tasks, R> decision(Function<List<Task>, R> answer) {
      return drafts.isEmpty()
          ? Decision.nothing(answer.apply(shown(tasks, List.of())))
          : Decision.append(drafts, (after, frames) -> answer.apply(shown(after, frames)));
    }

    private List<Task> shown(Tasks after, List<Frame> frames) {
      int before = tasks.highestNumber();
      return names.stream()
          .map(
              name ->
                  name.startsWith("#")
                      ? frames.get(Integer.parseInt(name.substring(1)) - before - 1).id()
                      : name)
          .map(after::get)
          .toList();
    }
  }

  Decision<Tasks, Task> status(Tasks tasks, String ref, StatusChange change, Instant now) {
    return status(tasks, ref, change, false, now);
  }

  /**
   * @param byWorker whether one of several agents makes the change; the attempts are never reset
   *     then
   */
  Decision<Tasks, Task> status(
      Tasks tasks, String ref, StatusChange change, boolean byWorker, Instant now) {
    int index = tasks.find(ref);
    TaskEntry task = tasks.entry(index);
    checkIteration(change.iteration());
    requireNotAnothers(tasks, index, change.owner(), now);
    String token = change.token();
    boolean saysNew =
        task.status != change.status()
            || (task.isHeld() && change.status() != Status.IN_PROGRESS)
            || (change.reason() != null && !change.reason().equals(task.reason))
            || (change.iteration() != 0 && change.iteration() != task.iteration)
            || (token == null && resetsAttempts(task, change, byWorker));
    if (token != null) {
      // A repeated change succeeds, because its caller may not know the first outcome.
      boolean repeated = !saysNew && task.lease != null && task.lease.token().equals(token);
      if (!repeated) {
        requireHeld(tasks, index, token);
      }
    }
    if (!saysNew) {
      return Decision.nothing(tasks.view(index));
    }
    Meta meta =
        Meta.of("action", "status")
            .with("id", task.id())
            .with("status", change.status().word())
            .with("iteration", change.iteration() == 0 ? null : change.iteration())
            .with("reason", change.reason())
            .with("claim", token)
            .with(TaskAttempts.COUNT, byWorker ? kept(task) : null);
    return Decision.append(Draft.of(topic, meta), after -> after.view(index));
  }

  /**
   * Completes the task of one of several agents.
   *
   * @param onto the tested commit of the session's branch; null if the work was not tested
   */
  Decision<Tasks, Optional<Task>> complete(
      Tasks tasks, String ref, StatusChange change, @Nullable String onto, Instant now) {
    Decision<Tasks, Task> status = status(tasks, ref, change, true, now);
    int index = tasks.find(ref);
    if (status.drafts().isEmpty()) {
      return Decision.nothing(Optional.of(tasks.view(index)));
    }
    Meta meta = status.drafts().get(0).meta().with("onto", onto);
    return Decision.append(Draft.of(topic, meta), after -> Optional.of(after.view(index)));
  }

  private static boolean resetsAttempts(TaskEntry task, StatusChange change, boolean byWorker) {
    return change.status() == Status.REMAINING
        && change.iteration() == 0
        && task.attempts.count() > 0
        && !byWorker;
  }

  /** Returns the count of failed attempts for a frame that keeps the count; null for none. */
  private static @Nullable Integer kept(TaskEntry task) {
    return task.attempts.count() == 0 ? null : task.attempts.count();
  }

  Decision<Tasks, Task> depend(Tasks tasks, String ref, String on) {
    int index = tasks.find(ref);
    int other = tasks.find(on);
    if (tasks.entry(index).dependsOn(other)) {
      return Decision.nothing(tasks.view(index));
    }
    checkNoCircle(tasks, index, other);
    Meta meta =
        Meta.of("action", "depend")
            .with("id", tasks.entry(index).id())
            .with("on", tasks.entry(other).id());
    return Decision.append(Draft.of(topic, meta), after -> after.view(index));
  }

  private static void checkNoCircle(Tasks tasks, int index, int other) {
    List<Integer> circle = new ArrayList<>(tasks.path(other, index));
    if (!circle.isEmpty()) {
      circle.add(0, index);
      throw RalphException.invalid(
          tasks.reference(index)
              + " can't wait for "
              + tasks.reference(other)
              + ", because the dependencies would form a cycle: "
              + circle.stream().map(tasks::reference).collect(Collectors.joining(" -> ")));
    }
  }

  Decision<Tasks, Task> undepend(Tasks tasks, String ref, String on) {
    int index = tasks.find(ref);
    TaskEntry task = tasks.entry(index);
    int other = tasks.find(on);
    int[] left = Arrays.stream(task.dependencies).filter(one -> one != other).toArray();
    return edit(tasks, index, null, task.priority(), left, task.touches, true);
  }

  Decision<Tasks, Task> edit(Tasks tasks, String ref, TaskEdit edit, Instant now) {
    return edit(tasks, ref, edit, false, now);
  }

  /**
   * @param byWorker whether one of several agents makes the edit; such an edit never resets the
   *     attempts
   */
  Decision<Tasks, Task> edit(
      Tasks tasks, String ref, TaskEdit edit, boolean byWorker, Instant now) {
    int index = tasks.find(ref);
    TaskEntry task = tasks.entry(index);
    requireNotAnothers(tasks, index, edit.owner(), now);
    String content = edit.content();
    int priority = edit.priority() == null ? task.priority() : edit.priority();
    if (content != null) {
      checkContent(content);
    }
    checkPriority(priority);
    int[] dependencies = task.dependencies;
    if (edit.dependencies() != null) {
      dependencies = edit.dependencies().stream().mapToInt(tasks::find).distinct().toArray();
      for (int other : dependencies) {
        checkNoCircle(tasks, index, other);
      }
    }
    List<String> touches = edit.touches() == null ? task.touches : edit.touches();
    PathPatterns.check(touches);
    return edit(tasks, index, content, priority, dependencies, touches, byWorker);
  }

  /**
   * @param content the new content, or null to keep the content
   * @param keepsAttempts whether to keep the number of failed attempts
   */
  private Decision<Tasks, Task> edit(
      Tasks tasks,
      int index,
      @Nullable String content,
      int priority,
      int[] dependencies,
      List<String> touches,
      boolean keepsAttempts) {
    TaskEntry task = tasks.entry(index);
    String newContent = content == null || tasks.hasText(index, content) ? "" : content;
    boolean newPriority = priority != task.priority();
    boolean newDependencies = !Arrays.equals(dependencies, task.dependencies);
    boolean newTouches = !touches.equals(task.touches);
    if (newContent.isEmpty() && !newPriority && !newDependencies && !newTouches) {
      return Decision.nothing(tasks.view(index));
    }
    if (task.status.isTerminal()) {
      throw RalphException.invalid(
          tasks.describe(index)
              + " can't be edited because its status is "
              + task.status.word()
              + "; set the task to remaining first, or add a new task");
    }
    Meta meta =
        Meta.of("action", "edit")
            .with("id", task.id())
            .with("priority", newPriority ? priority : null)
            .with("depends", newDependencies ? ids(tasks, dependencies) : null)
            .with("touches", newTouches ? touches : null)
            .with(TaskAttempts.COUNT, keepsAttempts ? kept(task) : null);
    List<Draft> drafts = new ArrayList<>();
    drafts.add(Draft.of(topic, KeptText.announce(meta, newContent), newContent));
    if (!keepsAttempts && task.isOutOfAttempts()) {
      drafts.add(unblock(task));
    }
    return Decision.append(drafts, (after, frames) -> after.view(index));
  }

  /** Returns a frame that reopens a task and resets its attempts. */
  private Draft unblock(TaskEntry task) {
    return Draft.of(
        topic,
        Meta.of("action", "status")
            .with("id", task.id())
            .with("status", Status.REMAINING.word())
            .with("reason", task.reason));
  }

  /**
   * Resets the failed attempts of all tasks named in a message, and reopens the blocked tasks among
   * them.
   */
  Decision<Tasks, Integer> resetNamed(Tasks tasks, String message) {
    List<Draft> drafts = new ArrayList<>();
    for (int index : tasks.triedAndNamedIn(message)) {
      TaskEntry task = tasks.entry(index);
      drafts.add(
          task.isOutOfAttempts()
              ? unblock(task)
              : Draft.of(topic, Meta.of("action", "edit").with("id", task.id())));
    }
    return drafts.isEmpty()
        ? Decision.nothing(0)
        : Decision.append(drafts, (after, frames) -> drafts.size());
  }

  private static List<String> ids(Tasks tasks, int[] indexes) {
    return Arrays.stream(indexes).mapToObj(index -> tasks.entry(index).id()).toList();
  }

  Decision<Tasks, Optional<Claim>> claim(
      Tasks tasks, String ref, String owner, Duration lease, int iteration, Instant now) {
    checkOwner(owner);
    Instant until = Lease.end(now, lease);
    checkIteration(iteration);
    int index = tasks.find(ref);
    TaskEntry task = tasks.entry(index);
    if (task.status.isTerminal() || task.status == Status.BLOCKED) {
      throw RalphException.invalid(
          tasks.describe(index)
              + " can't be claimed because its status is "
              + task.status.word()
              + (task.reason == null ? "" : ": " + task.reason));
    }
    List<Integer> awaited = tasks.awaited(index);
    if (!awaited.isEmpty()) {
      throw RalphException.invalid(
          tasks.describe(index)
              + " can't be claimed because it waits for "
              + awaited.stream()
                  .map(i -> tasks.describe(i) + " (" + state(tasks.entry(i)) + ")")
                  .collect(Collectors.joining(", ")));
    }
    if (task.lease != null && task.lease.isLive(now) && !task.lease.owner().equals(owner)) {
      return Decision.nothing(Optional.empty());
    }
    // The next claim continues the work on the holder's branch.
    String branch = task.isHeld() && task.branch != null ? task.branch.name() : null;
    return claim(tasks, index, owner, until, iteration, branch);
  }

  private static String state(TaskEntry task) {
    return task.waitsForMerge() ? "completed, not merged" : task.status.word();
  }

  /**
   * @param branch returns the branch for a task, or null if the task needs no merge
   */
  Decision<Tasks, Optional<Claim>> claimNext(
      Tasks tasks,
      String owner,
      Duration lease,
      int iteration,
      Function<Task, @Nullable String> branch,
      Instant now) {
    checkOwner(owner);
    Instant until = Lease.end(now, lease);
    checkIteration(iteration);
    int index = tasks.nextReady(now);
    return index < 0
        ? Decision.nothing(Optional.empty())
        : claim(tasks, index, owner, until, iteration, branch.apply(tasks.view(index)));
  }

  private Decision<Tasks, Optional<Claim>> claim(
      Tasks tasks, int index, String owner, Instant until, int iteration, @Nullable String branch) {
    Meta meta =
        Meta.of("action", "claim")
            .with("id", tasks.entry(index).id())
            .with("owner", owner)
            .with("until", Timestamp.of(until))
            .with("iteration", iteration == 0 ? null : iteration)
            .with("branch", branch);
    return Decision.append(
        Draft.of(topic, meta), after -> Optional.ofNullable(after.entry(index).claim()));
  }

  Decision<Tasks, Claim> renew(Tasks tasks, Claim claim, Duration lease, Instant now) {
    checkOwner(claim.owner());
    Instant until = Lease.end(now, lease);
    int index = tasks.find(claim.taskId());
    requireHeld(tasks, index, claim.token());
    Meta meta =
        Meta.of("action", "renew")
            .with("id", tasks.entry(index).id())
            .with("claim", claim.token())
            .with("until", Timestamp.of(until));
    return Decision.append(Draft.of(topic, meta), after -> after.entry(index).claim());
  }

  Decision<Tasks, Task> release(Tasks tasks, Claim claim) {
    int index = tasks.find(claim.taskId());
    requireHeld(tasks, index, claim.token());
    return Decision.append(release(claim), after -> after.view(index));
  }

  private Draft release(Claim claim) {
    return Draft.of(
        topic,
        Meta.of("action", "release").with("id", claim.taskId()).with("claim", claim.token()));
  }

  /** Records that a completed task was merged. */
  Decision<Tasks, Task> merged(Tasks tasks, String id, String token, @Nullable String commit) {
    int index = tasks.find(id);
    TaskEntry task = tasks.entry(index);
    TaskBranch branch = task.branch;
    boolean repeated =
        branch != null
            && branch.merged() != null
            && task.lease != null
            && task.lease.token().equals(token);
    if (repeated) {
      return Decision.nothing(tasks.view(index));
    }
    requireToMerge(tasks, index, token);
    Meta meta =
        Meta.of("action", "landed")
            .with("id", task.id())
            .with("claim", token)
            .with("commit", commit);
    return Decision.append(Draft.of(topic, meta), after -> after.view(index));
  }

  /** Reopens a completed task. Keeps the number of failed attempts. */
  Decision<Tasks, Task> reopen(Tasks tasks, String id, String token, String reason) {
    int index = tasks.find(id);
    requireToMerge(tasks, index, token);
    TaskAttempts attempts = tasks.entry(index).attempts;
    return returned(tasks, index, reason, attempts.count(), attempts.limit());
  }

  /**
   * Reopens a task after a failed attempt, or blocks it if the limit is reached.
   *
   * @param token the token of the claim whose work was completed, or whose completion was refused
   * @param limit the attempt limit; 0 for none
   */
  Decision<Tasks, Task> failAttempt(
      Tasks tasks, String id, String token, String reason, int limit) {
    int index = tasks.find(id);
    TaskEntry task = tasks.entry(index);
    if (!task.isHeldBy(token) || task.attempts.refused() == null) {
      requireToMerge(tasks, index, token);
    }
    int count = task.attempts.count();
    return returned(tasks, index, reason, count == Integer.MAX_VALUE ? count : count + 1, limit);
  }

  /**
   * Reopens a task whose work conflicts with the session's branch. Counts a failed attempt, unless
   * the branch has moved since the task was completed.
   */
  Decision<Tasks, Task> failMerge(Tasks tasks, String id, String token, String reason, int limit) {
    TaskBranch branch = tasks.entry(tasks.find(id)).branch;
    return branch != null && branch.isBehind()
        ? reopen(tasks, id, token, reason)
        : failAttempt(tasks, id, token, reason, limit);
  }

  private Decision<Tasks, Task> returned(
      Tasks tasks, int index, String reason, int attempts, int limit) {
    boolean isBlocked = limit > 0 && attempts >= limit;
    Meta meta =
        Meta.of("action", "status")
            .with("id", tasks.entry(index).id())
            .with("status", (isBlocked ? Status.BLOCKED : Status.REMAINING).word())
            .with("reason", reason)
            .with(TaskAttempts.COUNT, attempts)
            .with(TaskAttempts.LIMIT, limit);
    return Decision.append(Draft.of(topic, meta), after -> after.view(index));
  }

  /**
   * Records that the completion of a task was refused. An iteration that ends after a refusal is a
   * failed attempt.
   */
  Decision<Tasks, Task> refuse(Tasks tasks, String id, String token, String reason) {
    int index = tasks.find(id);
    requireHeld(tasks, index, token);
    if (reason.equals(tasks.entry(index).attempts.refused())) {
      return Decision.nothing(tasks.view(index));
    }
    Meta meta =
        Meta.of("action", "refused")
            .with("id", tasks.entry(index).id())
            .with("claim", token)
            .with("reason", reason);
    return Decision.append(Draft.of(topic, meta), after -> after.view(index));
  }

  /**
   * Requires that a claim's work waits to be merged.
   *
   * @throws RalphException CONTENDED if it does not
   */
  static void requireToMerge(Tasks tasks, int index, String token) {
    TaskEntry task = tasks.entry(index);
    if (!task.waitsForMerge(token)) {
      throw RalphException.contended(
          tasks.describe(index)
              + " does not wait for a merge under the claim "
              + RalphException.quote(token)
              + (task.waitsForMerge()
                  ? " but under a newer claim"
                  : ": it is " + task.status.word()));
    }
  }

  /**
   * Releases the claims of ended iterations.
   *
   * @param ended selects iterations by number; 0 is the number of claims without an iteration
   */
  Decision<Tasks, Integer> endIterations(Tasks tasks, IntPredicate ended) {
    List<Draft> releases = tasks.heldFor(ended).stream().map(this::release).toList();
    return releases.isEmpty()
        ? Decision.nothing(0)
        : Decision.append(releases, (after, frames) -> releases.size());
  }

  private static void requireHeld(Tasks tasks, int index, String token) {
    TaskEntry task = tasks.entry(index);
    if (task.isHeldBy(token)) {
      return;
    }
    String what = "the claim " + RalphException.quote(token) + " on " + tasks.describe(index);
    Lease newest = task.lease;
    String why;
    if (newest == null) {
      why = " is unknown: the task was never claimed";
    } else if (!newest.token().equals(token)) {
      why =
          " is outdated; the newest claim is held by "
              + RalphException.quote(newest.owner())
              + (newest.isHeld() ? " until " + newest.until() : "");
    } else {
      why = " has ended: the task is " + task.status.word();
    }
    throw RalphException.contended(what + why + "; claim the task again to continue");
  }

  /** Rejects a change on behalf of an owner while another owner's claim is live. */
  private static void requireNotAnothers(
      Tasks tasks, int index, @Nullable String owner, Instant now) {
    Lease lease = tasks.entry(index).lease;
    if (owner != null && lease != null && lease.isLive(now) && !lease.owner().equals(owner)) {
      throw RalphException.contended(
          tasks.describe(index)
              + " is claimed by "
              + RalphException.quote(lease.owner())
              + " until "
              + lease.until());
    }
  }

  private static void checkContent(String content) {
    if (content.isBlank()) {
      throw RalphException.invalid("a task needs a text that describes the work");
    }
  }

  private static void checkPriority(int priority) {
    if (priority < 0 || priority > TaskFold.LEAST_URGENT) {
      throw RalphException.invalid(
          "a task's priority must be 0 (first) to "
              + TaskFold.LEAST_URGENT
              + " (last), not "
              + priority);
    }
  }

  private static void checkOwner(String owner) {
    if (owner.isBlank()) {
      throw RalphException.invalid("a claim needs an owner");
    }
  }

  private static void checkIteration(int iteration) {
    if (iteration < 0) {
      throw RalphException.invalid("an iteration must not be negative: " + iteration);
    }
  }
}
