package dev.ralph.cli.loop;

import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.task.ListedTasks;
import dev.ralph.core.Worktree;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.text.BoxPlace;
import dev.ralph.core.internal.text.PlainPath;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Ticks the boxes of a plan whose tasks are completed: in the commits that merge the tasks, or in
 * place. A tick changes a single byte. Not thread-safe, except {@link #merged}.
 */
final class PlanTicks {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The number of reads of the file, of which the last must find no unticked box. */
  private static final int MOST_READS = 6;

  /**
   * The place of the ticks.
   *
   * @param top the top folder of the files; no path component below may be a link
   * @param isMerged whether merges tick the file instead
   */
  private record Place(Path top, Path file, boolean isMerged) {}

  private final Invocation call;
  private final ListedTasks plan;
  private final Session session;

  private final Path top;
  private final Path file;
  private final boolean isMerged;
  private String problem = "";

  private PlanTicks(Invocation call, ListedTasks plan, Session session, Place place) {
    this.call = call;
    this.plan = plan;
    this.session = session;
    this.top = place.top();
    this.file = place.file();
    this.isMerged = place.isMerged();
  }

  /**
   * Returns the ticks of a build; null if the build has no plan, or if the boxes of the plan are
   * not ticked. A notice has the reason.
   *
   * @param plan the plan, or null
   * @param tree the work tree of a single agent, or null
   * @param isMerged whether tasks are merged into the session's branch
   */
  static @Nullable PlanTicks of(
      Invocation call,
      @Nullable ListedTasks plan,
      Session session,
      @Nullable Worktree tree,
      boolean isMerged) {
    Path file = plan == null || call.arguments().has("no-tick") ? null : plan.file();
    if (plan == null || file == null || plan.isEmpty()) {
      return null;
    }
    Path top = call.stores().projectTop().toAbsolutePath().normalize();
    String reason = reason(top, file);
    if (reason != null) {
      call.warn("no box is ticked: " + reason);
      return null;
    }
    boolean isCommitted = (tree != null || isMerged) && isCommitted(top, top.relativize(file));
    Place place =
        tree != null && isCommitted
            ? new Place(tree.root(), tree.root().resolve(top.relativize(file)), false)
            : new Place(top, file, isMerged && isCommitted);
    return new PlanTicks(call, plan, session, place);
  }

  /** Returns the reason why a file is not ticked, or null. */
  private static @Nullable String reason(Path top, Path file) {
    if (!file.startsWith(top)) {
      return file + " is outside of the project " + top;
    }
    try {
      PlainPath.requireFile(top, file);
      return null;
    } catch (RalphException e) {
      return e.getMessage();
    }
  }

  /** Returns whether the newest commit has the file in its present state. */
  private static boolean isCommitted(Path top, Path file) {
    Git git = new Git(top, PATIENCE);
    String name = file.toString().replace(file.getFileSystem().getSeparator(), "/");
    return git.query("cat-file", "-e", "HEAD:" + name).isPresent()
        && git.query("--literal-pathspecs", "status", "--porcelain", "--", name)
            .map(String::isEmpty)
            .orElse(false);
  }

  /** Adds the ticks to the merges of a loop. */
  void addTo(Loop.Builder loop) {
    if (isMerged) {
      loop.workspaces(places -> places.onMergeWithEdits(top.relativize(file), this::merged));
    }
  }

  /** Returns the plan with the boxes of a merged task and of earlier settled tasks ticked. */
  String merged(Task task, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try {
      plan.boxes(
              bytes, session.tasks().list(), each -> each.id().equals(task.id()) || isSettled(each))
          .forEach(place -> place.tick(bytes));
    } catch (CharacterCodingException unpairedSurrogate) {
      return text;
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Ticks boxes after each iteration, after each merge, and at the end. */
  void event(LoopEvent event) {
    switch (event.type()) {
      case ITERATION_ENDED, MERGED, LOOP_ENDED -> tick();
      default -> {}
    }
  }

  /** Ticks the boxes of all settled tasks in place. Reports each new problem once. */
  void tick() {
    if (isMerged) {
      return;
    }
    try {
      for (int reads = 1; !isTicked(); reads++) {
        if (reads == MOST_READS) {
          throw RalphException.invalid("a program keeps changing the file");
        }
      }
    } catch (NoSuchFileException e) {
      report("the file does not exist");
    } catch (AccessDeniedException e) {
      report("permission denied");
    } catch (CharacterCodingException e) {
      report("the file is not valid UTF-8");
    } catch (IOException | RalphException e) {
      report(Objects.requireNonNullElse(e.getMessage(), e.toString()));
    }
  }

  private void report(String reason) {
    if (!reason.equals(problem)) {
      problem = reason;
      call.warn("warning: boxes of " + file + " could not be ticked: " + reason);
    }
  }

  /**
   * Ticks all boxes, and returns whether none was left to tick. An editor may replace the file
   * during a tick, so a later read confirms the ticks.
   */
  private boolean isTicked() throws IOException {
    PlainPath.requireFile(top, file); // an agent may have put a link there
    byte[] text = Files.readAllBytes(file);
    List<BoxPlace> places = plan.boxes(text, session.tasks().list(), PlanTicks::isSettled);
    for (BoxPlace place : places) {
      place.tick(file);
    }
    return places.isEmpty();
  }

  private static boolean isSettled(Task task) {
    return task.status() == Task.Status.COMPLETED && task.isSettled();
  }
}
