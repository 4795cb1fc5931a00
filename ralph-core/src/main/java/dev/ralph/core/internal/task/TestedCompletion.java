package dev.ralph.core.internal.task;

import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.Task.Status;
import dev.ralph.core.internal.task.CompletionTrial.Outcome;
import dev.ralph.core.internal.task.CompletionTrial.Work;
import dev.ralph.log.Decision;
import dev.ralph.log.Ledger;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Completes the task of one of several agents if its work merges with the session's branch. If the
 * work conflicts with queued work, the completion waits until that work is merged. So the agent can
 * resolve the conflict in the same iteration. For one completion.
 */
final class TestedCompletion {

  /**
   * The longest wait for the gates in a tool call, shorter than the usual timeout of MCP clients,
   * one minute.
   */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

  private static final String OWNER = "agent-";

  private final Ledger<Tasks> ledger;
  private final TaskDecider decider;
  private final CompletionTrial trial;
  private final TaskAssignment given;
  private final String what;
  private final long begun = System.nanoTime();

  /**
   * @param what the description of the change for messages
   */
  TestedCompletion(
      Ledger<Tasks> ledger,
      TaskDecider decider,
      CompletionTrial trial,
      TaskAssignment given,
      String what) {
    this.ledger = ledger;
    this.decider = decider;
    this.trial = trial;
    this.given = given;
    this.what = what;
  }

  /**
   * Completes the task.
   *
   * @throws RalphException INVALID if the work conflicts with the session's branch, with the files
   *     and the command that merges it; CONTENDED if the claim has ended; CLOSED if the thread is
   *     interrupted
   */
  Task complete(String ref, StatusChange change) {
    while (true) {
      Tasks tasks = ledger.state();
      int index = tasks.find(ref);
      String token = given.checked(tasks, index, change).token();
      TaskEntry task = tasks.entry(index);
      if (token == null || !task.isHeldBy(token) || task.branch == null) {
        return decide(ref, change, null, null).orElseThrow();
      }
      Set<String> tested = completed(tasks);
      Outcome outcome = test(tasks, index);
      if (outcome.rival() != null && !left().isZero()) {
        await(outcome.rival());
      } else if (outcome.rival() == null && !outcome.files().isEmpty()) {
        refuse(task.id(), token, outcome.remedy());
        throw RalphException.invalid(outcome.remedy());
      } else {
        Optional<Task> done = decide(ref, change, outcome.onto(), left().isZero() ? null : tested);
        if (done.isPresent()) {
          return done.get();
        }
      }
    }
  }

  private Duration left() {
    Duration left = LONGEST_WAIT.minusNanos(System.nanoTime() - begun);
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** Returns the tokens of the claims whose work was completed on branches. */
  private static Set<String> completed(Tasks tasks) {
    Set<String> tokens = new HashSet<>();
    for (TaskEntry task : tasks.entries()) {
      if (task.status == Status.COMPLETED && task.branch != null && task.lease != null) {
        tokens.add(task.lease.token());
      }
    }
    return tokens;
  }

  private Outcome test(Tasks tasks, int own) {
    List<Work> waiting = new ArrayList<>();
    for (int i = 0; i < tasks.size(); i++) {
      if (i != own && tasks.entry(i).waitsForMerge()) {
        waiting.add(work(tasks, i));
      }
    }
    try {
      return trial.run(work(tasks, own), waiting);
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  private RalphException interrupted() {
    Thread.currentThread().interrupt();
    return RalphException.closed(what + ", which was interrupted,");
  }

  private static Work work(Tasks tasks, int index) {
    TaskEntry task = tasks.entry(index);
    return new Work(
        "t" + task.number(),
        task.branch == null ? "" : task.branch.name(),
        task.lease == null ? 0 : agent(task.lease.owner()),
        task.lease == null ? "" : task.lease.token());
  }

  private static int agent(String owner) {
    String number = owner.startsWith(OWNER) ? owner.substring(OWNER.length()) : "";
    return number.matches("[1-9]\\d{0,5}") ? Integer.parseInt(number) : 0;
  }

  private void await(String rival) {
    try {
      boolean unused =
          ledger
              .await(
                  tasks -> tasks.entries().stream().noneMatch(task -> task.waitsForMerge(rival)),
                  left())
              .isPresent();
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  private void refuse(String id, String token, String reason) {
    Task unused =
        ledger.decide("refusing " + what, (tasks, now) -> decider.refuse(tasks, id, token, reason));
  }

  /**
   * Appends the new status and returns the task. Returns empty if other work was completed since
   * the test.
   *
   * @param onto the tested commit of the session's branch; null for none
   * @param tested the claims whose work was part of the test; null to skip this check
   */
  private Optional<Task> decide(
      String ref, StatusChange change, @Nullable String onto, @Nullable Set<String> tested) {
    return ledger.decide(
        what,
        (tasks, now) ->
            tested != null && !tested.containsAll(completed(tasks))
                ? Decision.nothing(Optional.<Task>empty())
                : decider.complete(
                    tasks, ref, given.checked(tasks, tasks.find(ref), change), onto, now));
  }
}
