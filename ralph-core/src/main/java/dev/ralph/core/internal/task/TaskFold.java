package dev.ralph.core.internal.task;

import dev.ralph.Task.Status;
import dev.ralph.TaskLog;
import dev.ralph.domain.KeptText;
import dev.ralph.domain.Lease;
import dev.ralph.domain.NumberedState;
import dev.ralph.domain.StateCodec.Input;
import dev.ralph.domain.StateCodec.Output;
import dev.ralph.domain.TextSource;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Folds the frames of a session's task topic:
 *
 * <pre>
 * {action:add, status, n, priority?, depends?[ids], touches?[globs], iteration?, key?, begins?,
 *     length?} + content           begins and length only for a long content
 * {action:status, id, status, iteration?, reason?, claim?, attempt?, limit?, onto?}
 *     onto: the commit of the session's branch that the work was tested to merge with
 * {action:refused, id, claim, reason}   the completion by the claim's holder was refused
 * {action:claim, id, owner, until, iteration?, branch?}   the frame's id is the fencing token
 * {action:renew, id, claim, until}
 * {action:release, id, claim}
 * {action:landed, id, claim, commit?}   merged; no commit if there was nothing to merge
 * {action:depend, id, on}
 * {action:edit, id, priority?, depends?[ids], touches?[globs], begins?, length?, attempt?}
 *     + the new content, if it changes
 * {action:numbered, n}   a task of that number was erased
 * </pre>
 *
 * <p>In the {@code depends} of tasks added together, {@code #n} refers to the new task with that
 * {@code n}, which has no id yet.
 *
 * <p>A claim ends when the task is completed, cancelled, blocked or reset to remaining.
 *
 * <p>A task completed under a held claim with a branch has to be merged. Until then no dependent
 * task can begin. All other tasks are settled as soon as they are completed.
 *
 * <p>{@code attempt} is the number of failed attempts after the frame, {@code limit} the attempt
 * limit at that time. An edit without {@code attempt} resets the number. So does a merge, and a
 * change to remaining without {@code attempt}, {@code claim} and {@code iteration}, which only
 * people make.
 *
 * <p>Frames of other programs may lack {@code n} and abbreviate ids. The fold ignores unreadable
 * frames, and frames under a claim that was no longer the newest.
 */
public final class TaskFold implements Fold<TaskState, Tasks> {

  static final int LEAST_URGENT = 4;
  private static final Status[] STATUSES = Status.values();
  private static final int[] NO_INDEXES = {};

  private final TextSource texts;

  /**
   * Creates the fold.
   *
   * @param texts reads long task texts from the log of the frames
   */
  public TaskFold(TextSource texts) {
    this.texts = texts;
  }

  @Override
  public String name() {
    return "ralph.tasks";
  }

  @Override
  public int version() {
    return 11;
  }

  @Override
  public TaskState initial() {
    return new TaskState();
  }

  @Override
  public Tasks result(TaskState state) {
    return state.result(texts);
  }

  @Override
  public TaskState apply(TaskState state, Frame frame) {
    Meta meta = frame.meta();
    String action = meta.string("action");
    if (action == null) {
      return state;
    }
    if (action.equals("add")) {
      add(state, frame, meta);
      return state;
    }
    NumberedState<TaskEntry> tasks = state.tasks();
    int index = tasks.find(meta.string("id"));
    if (index < 0) {
      tasks.keepNumber(frame);
      return state;
    }
    TaskEntry task = tasks.get(index);
    TaskEntry changed =
        switch (action) {
          case "status" -> status(task, frame, meta);
          case "claim" -> claim(task, frame, meta);
          case "renew" -> renew(task, frame, meta);
          case "release" -> release(task, frame, meta);
          case "landed" -> merged(task, frame, meta);
          case "refused" -> refused(task, meta);
          case "depend" -> depend(task, index, tasks.find(meta.string("on")));
          case "edit" -> edit(tasks, index, frame, meta);
          default -> task;
        };
    state.set(index, task, changed);
    if (changed != task && action.equals("landed") && meta.string("commit") != null) {
      state.branchMoved();
    }
    return state;
  }

  private static void add(TaskState state, Frame frame, Meta meta) {
    NumberedState<TaskEntry> tasks = state.tasks();
    String id = frame.id();
    if (tasks.contains(id)) {
      return;
    }
    Status status = statusOf(meta.string("status"));
    int number = tasks.takeNumber(frame); // first: a lost content costs no number
    long shift = number - meta.integer("n").orElse(number);
    state.add(
        new TaskEntry(
            id,
            number,
            KeptText.of(frame),
            null,
            priority(meta, TaskLog.DEFAULT_PRIORITY),
            frame.time(),
            meta.string("key"),
            meta.has("depends") ? dependencies(tasks, meta.strings("depends"), shift) : NO_INDEXES,
            status == null ? Status.REMAINING : status,
            iteration(meta),
            null,
            null,
            0,
            null,
            touches(meta),
            TaskAttempts.NONE));
  }

  private static List<String> touches(Meta meta) {
    return meta.has("touches") ? List.copyOf(meta.strings("touches")) : List.of();
  }

  private static TaskEntry edit(NumberedState<TaskEntry> state, int index, Frame frame, Meta meta) {
    TaskEntry task = state.get(index);
    boolean hasText = KeptText.announcedLength(frame) > 0 || !frame.content().isBlank();
    int[] dependencies = task.dependencies;
    if (meta.has("depends")) {
      dependencies =
          Arrays.stream(dependencies(state, meta.strings("depends"), 0))
              .filter(other -> other != index)
              .toArray();
    }
    return task.edited(
            hasText ? KeptText.of(frame) : task.text(),
            hasText ? frame.id() : task.textFrame(),
            priority(meta, task.priority()),
            dependencies,
            meta.has("touches") ? touches(meta) : task.touches)
        .withAttempts(
            meta.has(TaskAttempts.COUNT)
                ? task.attempts
                : TaskAttempts.of(0, 0, task.attempts.refused()));
  }

  private static int priority(Meta meta, int otherwise) {
    OptionalLong priority = meta.integer("priority");
    return priority.isPresent() && priority.getAsLong() >= 0 && priority.getAsLong() <= LEAST_URGENT
        ? (int) priority.getAsLong()
        : otherwise;
  }

  /**
   * Returns the indexes of dependencies, without unknown ids.
   *
   * @param shift the difference between a new task's number and the number in its frame
   */
  private static int[] dependencies(NumberedState<TaskEntry> state, List<String> ids, long shift) {
    int[] indexes = new int[ids.size()];
    int count = 0;
    for (String id : ids) {
      int index = id.startsWith("#") ? numbered(state, id, shift) : state.find(id);
      if (index >= 0) {
        indexes[count++] = index;
      }
    }
    return Arrays.copyOf(indexes, count);
  }

  /**
   * Returns the index of the task with the number in {@code #n}, or -1. Searches from the newest
   * task.
   */
  private static int numbered(NumberedState<TaskEntry> state, String ref, long shift) {
    long number;
    try {
      number = Integer.parseInt(ref.substring(1)) + shift;
    } catch (NumberFormatException e) {
      return -1;
    }
    int index = state.size() - 1;
    while (index >= 0 && state.get(index).number() > number) {
      index--;
    }
    return index >= 0 && state.get(index).number() == number ? index : -1;
  }

  private static TaskEntry status(TaskEntry task, Frame frame, Meta meta) {
    Status status = statusOf(meta.string("status"));
    String token = meta.string("claim");
    if (status == null || (token != null && !task.isHeldBy(token))) {
      return task;
    }
    Lease lease = status == Status.IN_PROGRESS ? task.lease : task.leaseEnded(frame.time());
    TaskEntry changed = task.withStatus(status, iteration(meta), meta.string("reason"), lease);
    if (status == Status.COMPLETED && meta.has("onto")) {
      changed = changed.behind(); // so any conflict is with a newer merge
    }
    return changed.withAttempts(attempts(changed, meta));
  }

  private static TaskAttempts attempts(TaskEntry changed, Meta meta) {
    if (meta.has(TaskAttempts.COUNT)) {
      return changed.attempts.stated(meta);
    }
    boolean isReset =
        changed.status == Status.REMAINING && !meta.has("claim") && !meta.has("iteration");
    return isReset || changed.isSettled() ? TaskAttempts.NONE : changed.attempts.refused(null);
  }

  private static TaskEntry refused(TaskEntry task, Meta meta) {
    String token = meta.string("claim");
    return token == null || !task.isHeldBy(token)
        ? task
        : task.withAttempts(task.attempts.refused(meta.string("reason")));
  }

  private static TaskEntry claim(TaskEntry task, Frame frame, Meta meta) {
    Lease lease = Lease.of(frame);
    return lease == null || task.status.isTerminal()
        ? task
        : task.claimed(lease, iteration(meta), meta.string("branch"))
            .withAttempts(task.attempts.refused(null));
  }

  private static TaskEntry renew(TaskEntry task, Frame frame, Meta meta) {
    String token = meta.string("claim");
    Lease lease = task.lease;
    return token == null || lease == null || !lease.isHeldBy(token)
        ? task
        : task.renewed(lease.renewed(frame));
  }

  private static TaskEntry release(TaskEntry task, Frame frame, Meta meta) {
    String token = meta.string("claim");
    return token == null || !task.isHeldBy(token)
        ? task
        : task.released(iteration(meta), frame.time()).withAttempts(task.attempts.refused(null));
  }

  private static TaskEntry merged(TaskEntry task, Frame frame, Meta meta) {
    String token = meta.string("claim");
    return token == null || !task.waitsForMerge(token)
        ? task
        : task.merged(frame.time(), meta.string("commit")).withAttempts(TaskAttempts.NONE);
  }

  private static TaskEntry depend(TaskEntry task, int index, int on) {
    return on < 0 || on == index || task.dependsOn(on) ? task : task.withDependency(on);
  }

  private static int iteration(Meta meta) {
    OptionalLong iteration = meta.integer("iteration");
    return iteration.isPresent()
            && iteration.getAsLong() > 0
            && iteration.getAsLong() <= Integer.MAX_VALUE
        ? (int) iteration.getAsLong()
        : 0;
  }

  private static @Nullable Status statusOf(@Nullable String word) {
    for (Status status : STATUSES) {
      if (status.word().equals(word)) {
        return status;
      }
    }
    return null;
  }

  @Override
  public Optional<Codec<TaskState>> codec() {
    return Optional.of(CODEC);
  }

  private static final NumberedState.Codec<TaskEntry> TASKS =
      new NumberedState.Codec<>() {
        @Override
        protected void writeEntry(TaskEntry task, Output out) {
          out.text(task.id());
          out.number(task.number());
          KeptText text = task.text();
          out.text(text.beginning());
          out.number(text.length() - text.beginning().length());
          if (!text.isWhole()) {
            out.text(task.textFrame());
          }
          out.number(task.priority());
          out.number(task.added().toEpochMilli());
          out.text(task.key);
          out.number(task.dependencies.length);
          for (int dependency : task.dependencies) {
            out.number(dependency);
          }
          out.text(task.status.word());
          out.number(task.iteration);
          out.text(task.reason);
          out.lease(task.lease);
          if (task.lease != null) {
            out.number(task.claimedIn);
          }
          TaskBranch branch = task.branch;
          out.text(branch == null ? null : branch.name());
          if (branch != null) {
            out.bool(branch.waits());
            Instant merged = branch.merged();
            out.number(merged == null ? Long.MIN_VALUE : merged.toEpochMilli());
            out.text(branch.commit());
            out.bool(branch.isBehind());
          }
          out.number(task.touches.size());
          for (String glob : task.touches) {
            out.text(glob);
          }
          out.number(task.attempts.count());
          out.number(task.attempts.limit());
          out.text(task.attempts.refused());
        }

        @Override
        protected TaskEntry readEntry(Input in, int size) throws IOException {
          String id = in.text();
          int number = in.integer();
          String beginning = in.text();
          int rest = in.integer();
          String textFrame = rest == 0 ? null : in.text();
          int priority = in.integer();
          Instant added = Instant.ofEpochMilli(in.number());
          String key = in.textOrNull();
          int[] dependencies = new int[Math.min(in.count(), size)];
          for (int i = 0; i < dependencies.length; i++) {
            dependencies[i] = Objects.checkIndex(in.integer(), size);
          }
          Status status = Status.of(in.text());
          int iteration = in.integer();
          String reason = in.textOrNull();
          Lease lease = in.leaseOrNull();
          return new TaskEntry(
              id,
              number,
              new KeptText(beginning, beginning.length() + rest),
              textFrame,
              priority,
              added,
              key,
              dependencies,
              status,
              iteration,
              reason,
              lease,
              lease == null ? 0 : in.integer(),
              branch(in),
              touches(in),
              TaskAttempts.of(in.integer(), in.integer(), in.textOrNull()));
        }

        private @Nullable TaskBranch branch(Input in) throws IOException {
          String name = in.textOrNull();
          if (name == null) {
            return null;
          }
          boolean waits = in.bool();
          long merged = in.number();
          return new TaskBranch(
              name,
              waits,
              merged == Long.MIN_VALUE ? null : Instant.ofEpochMilli(merged),
              in.textOrNull(),
              in.bool());
        }

        private List<String> touches(Input in) throws IOException {
          String[] globs = new String[in.count()];
          for (int i = 0; i < globs.length; i++) {
            globs[i] = in.text();
          }
          return List.of(globs);
        }
      };

  private static final Codec<TaskState> CODEC = new TaskState.Codec(TASKS);
}
