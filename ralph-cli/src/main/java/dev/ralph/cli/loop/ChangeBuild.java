package dev.ralph.cli.loop;

import dev.ralph.Gate;
import dev.ralph.Ralph;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Project;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.github.IssueTasks;
import dev.ralph.cli.github.PullRequest;
import dev.ralph.cli.progress.BuildBranch;
import dev.ralph.cli.progress.BuildProgress;
import dev.ralph.cli.progress.Hooks;
import dev.ralph.cli.progress.UserBranchMerge;
import dev.ralph.cli.session.ChangeCount;
import dev.ralph.core.Worktree;
import dev.ralph.core.internal.process.GitCeilings;
import dev.ralph.log.FrameLog;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.openspec.internal.Change;
import dev.ralph.openspec.internal.ChangeLoop;
import dev.ralph.openspec.internal.ChangeLoopBuilder;
import dev.ralph.openspec.internal.ChangeSession;
import dev.ralph.openspec.internal.Story;
import dev.ralph.openspec.internal.Verification;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code ralph build --change}: completes an OpenSpec change, story by story. */
final class ChangeBuild {

  private final Invocation call;
  private final String change;
  private final Path project;
  private final Arguments arguments;
  private final LoopLimits limits;
  private final List<Gate.Command> gates;
  private final LoopAgents team;
  private final Path launcher;
  private final Prompt prompt;

  /**
   * @param syntax the syntax of {@code ralph build}
   * @throws UsageException if the options are invalid
   */
  ChangeBuild(Invocation call, CommandSyntax syntax) {
    for (String other : List.of("spec", "tasks")) {
      if (call.arguments().has(other)) {
        throw new UsageException("--change defines the work; omit --" + other);
      }
    }
    if (call.arguments().has("standby")) {
      throw new UsageException("--standby waits for a single session; omit it with --change");
    }
    this.call = call;
    this.change = Objects.requireNonNull(call.changeName(), "change");
    this.project = Project.folder(call.environment(), Change.FOLDER);
    requireTasks(Change.read(project, change));
    BuildConfig config = BuildConfig.of(call, syntax);
    if (!call.arguments().has("dry-run")) {
      new ProjectTrust(call).config(config).checks(project, project).require();
    }
    config.addTo(call);
    ClientSelection.addTo(call, call.arguments().has("dry-run"));
    this.arguments = call.arguments();
    this.limits = LoopLimits.of(arguments);
    this.gates = AgentChoice.gates(arguments);
    this.team = new LoopAgents(call);
    if (team.areSeveral() && !team.areMerging()) {
      throw new UsageException(
          arguments.written(TeamPlaces.SHARED, 0)
              + " merges no branches, but the boxes of a change are ticked by merges; omit the"
              + " option");
    }
    this.launcher = BuildCommand.launcher(call.environment());
    this.prompt = Prompt.ofChange(call);
  }

  void run() {
    boolean dry = arguments.has("dry-run");
    team.requirePrograms(call, dry);
    PullRequest pullRequest = BuildCommand.pullRequest(call, team, change);
    team.warnOfLimits(call);
    if (dry) {
      BuildCommand.warnOfMissingGates(call, gates);
      UserBranchMerge.warnOfUnmerged(call, project, change);
      show();
      return;
    }
    StoreAccess store = call.stores().openOrCreate();
    call.stores().warnIfTracked();
    ChangeSession held = session(store.ralph());
    // Only the owner of the change may create its work tree, or remove an incomplete work tree of a
    // killed process.
    try (WorkPlace place = place(held, store.frames())) {
      // The branch of the work tree may name other checks.
      new ProjectTrust(call).checks(project, place.folder()).require();
      warnOfWorkElsewhere(place, place.change(change));
      warnOfNoChecks(place.folder());
      ChangeSession work = ChangeSession.of(store.ralph(), place.folder(), held.name());
      run(store, place, work, pullRequest);
    } catch (RuntimeException | Error e) {
      leave(held, e);
      throw e;
    }
  }

  private WorkPlace place(ChangeSession held, FrameLog log) {
    if (!team.areMerging()) {
      return WorkPlace.of(call, held, log);
    }
    WorkPlace place = WorkPlace.inTree(call, held, log);
    place.close(); // each story's loop locks the branch itself
    return place;
  }

  private void run(
      StoreAccess store, WorkPlace place, ChangeSession work, @Nullable PullRequest pullRequest) {
    StoreInfo info = store.frames().info();
    IssueTasks.show(call, work.session());
    try (LoopAgents.Agents agents =
            team.agents(
                call.environment(), launcher, work.name(), store.ralph().agentStore(), allGates());
        Hooks hooks = Hooks.of(call, work.name(), call.stores().address().location())) {
      UserBranchMerge userMerge =
          team.areMerging() ? new UserBranchMerge(project, change, pullRequest == null) : null;
      BuildProgress progress =
          new BuildProgress(
              call,
              work.session(),
              store,
              BuildHeader.lines(
                  call,
                  work.session(),
                  new BuildHeader.Facts(
                      info.location(),
                      ChangeCount.of(work.change().stories(), work.session().tasks().list())
                          .inFull(),
                      "the change " + change,
                      team.permissions(),
                      limits.iterations())),
              call.continuation(work.name()),
              new BuildBranch(call, userMerge == null ? place.tree() : null, userMerge),
              limits.iterations());
      if (pullRequest != null) {
        progress.publish(pullRequest, allGates().stream().map(Gate::name).toList());
      }
      ChangeLoopBuilder builder = builder(work, agents);
      if (place.tree() != null) {
        builder.worktree(place.tree());
      }
      if (arguments.has("watch")) {
        progress.watch(() -> builder(work, agents).build().preview()); // the loop is never started
      }
      ChangeLoop loop = builder.onEvent(progress::event).onEvent(hooks::event).build();
      progress.follow(loop);
      call.reportCreation();
      BuildCommand.drive(call, loop, agents::close, progress, hooks);
      place.printNotices(call);
    }
  }

  /** Releases the change if the loop could not be created. */
  private static void leave(ChangeSession work, Throwable fault) {
    try {
      work.leave();
    } catch (RalphException e) {
      fault.addSuppressed(e);
    }
  }

  private ChangeLoopBuilder builder(ChangeSession work, LoopAgents.Agents agents) {
    ChangeLoopBuilder builder = ChangeLoop.of(work, agents.builder());
    agents.addTo(builder);
    builder.waitForAnswers(arguments.has("wait")).record(!arguments.has("no-record"));
    if (team.areMerging()) {
      builder.directory(project); // contains the files to copy into the agents' work trees
      builder.workspaces(places -> places.name(change)); // required even without a work tree
    }
    limits.addTo(builder);
    gates.forEach(builder::gate);
    prompt.addTo(builder);
    return builder;
  }

  /** Returns the gates that the agent's tools run for a completion. */
  private List<Gate.Command> allGates() {
    List<Gate.Command> all = new ArrayList<>(Verification.of(project).gates());
    all.addAll(gates);
    return all;
  }

  /** Warns about tasks ticked in the other place of the change, which will be repeated here. */
  private void warnOfWorkElsewhere(WorkPlace place, Change here) {
    Path other = place.tree() == null ? treeOf(project) : project;
    if (other == null || !Files.isDirectory(other.resolve(Change.FOLDER).resolve(change))) {
      return;
    }
    Change there = Change.read(other, change);
    Set<String> lost = new HashSet<>();
    there.stories().forEach(story -> add(story, true, lost));
    Set<String> open = new HashSet<>();
    here.stories().forEach(story -> add(story, false, open));
    lost.retainAll(open);
    if (lost.isEmpty()) {
      return;
    }
    boolean one = lost.size() == 1;
    call.warn(
        "warning: "
            + (one ? "1 task" : lost.size() + " tasks")
            + " ticked in "
            + there.folder().resolve("tasks.md")
            + (one ? " is" : " are")
            + " not ticked "
            + (place.tree() == null
                ? "here and will be repeated; --worktree continues there"
                : "in the work tree and will be repeated; to keep the work, commit it here and"
                    + " merge it there"));
  }

  private static void add(Story story, boolean done, Set<String> ids) {
    story.tasks().stream().filter(task -> task.done() == done).forEach(task -> ids.add(task.id()));
  }

  /** Returns the project's folder in the work tree of the change, or null without a work tree. */
  private @Nullable Path treeOf(Path project) {
    for (Path top : GitCeilings.ofProcess().upward(project)) {
      Path tree = top.resolve(Worktree.PLACE).resolve(change);
      if (Files.exists(tree)) {
        return tree.resolve(top.relativize(project));
      }
      if (Files.exists(top.resolve(".git"))) {
        return null;
      }
    }
    return null;
  }

  private void warnOfNoChecks(Path folder) {
    if (gates.isEmpty() && Verification.of(folder).all().isEmpty()) {
      call.warn(
          "warning: no checks found in a build file or in "
              + Verification.FILE
              + "; a story is complete as soon as its boxes are"
              + " ticked");
    }
  }

  private void requireTasks(Change read) {
    for (Change.Problem problem : read.problems()) {
      call.warn("warning: " + change + "/" + problem);
    }
    read.requireTasks();
  }

  /** Returns the session named by the call, else the newest open session, else a new session. */
  private ChangeSession session(Ralph ralph) {
    ProcessHandle owner = ProcessHandle.current();
    if (!call.namesASession()) {
      return ChangeSession.open(ralph, project, change, owner);
    }
    ChangeSession named = named(ralph);
    named.resume(owner);
    return named;
  }

  private ChangeSession named(Ralph ralph) {
    ChangeSession named = ChangeSession.of(ralph, project, call.sessionName());
    if (!named.changeName().equals(change)) {
      throw new UsageException(
          "the session " + named.name() + " is for the change " + named.changeName());
    }
    return named;
  }

  // ---- --dry-run

  /** Shows the next prompt. For a session that has not begun, shows the prompt of a new store. */
  private void show() {
    Ralph ralph = call.stores().openIfAny().ralph();
    ChangeSession begun = begun(ralph);
    if (begun != null) {
      show(begun);
      return;
    }
    try (StoreAccess fleeting = StoreAccess.absent(call.stores().address())) {
      ChangeSession work = ChangeSession.begin(fleeting.ralph(), project, change, null);
      Optional<String> story = work.nextStory().map(each -> each.id());
      story.ifPresent(work::sync);
      show(work);
    }
  }

  private @Nullable ChangeSession begun(Ralph ralph) {
    if (call.namesASession()) {
      return named(ralph);
    }
    return ChangeSession.list(ralph, project).stream()
        .filter(each -> each.changeName().equals(change) && !each.hasEnded())
        .reduce((older, newer) -> newer)
        .orElse(null);
  }

  /**
   * Warns if the task list of the session differs from tasks.md. The prompt contains the session's
   * list, which only a run updates.
   */
  private void warnOfOtherTasks(ChangeSession work, Story story) {
    TaskList known = work.session().tasks().list();
    boolean same =
        story.tasks().stream()
            .allMatch(
                task ->
                    known.stream()
                        .anyMatch(
                            each ->
                                task.id().equals(each.key())
                                    && task.done() == (each.status() == Task.Status.COMPLETED)));
    if (!same) {
      call.warn("the tasks shown are from the last run; the next run starts with tasks.md");
    }
  }

  private void show(ChangeSession work) {
    warnOfNoChecks(project);
    ChangeLoop loop = // not closed, because it is never started
        builder(work, team.neverRun(launcher)).onEvent(event -> call.warn(event.message())).build();
    if (loop.story().isEmpty()) {
      call.warn("all stories of " + change + " are complete; no iteration follows");
      if (!call.json()) {
        return;
      }
    }
    loop.story().ifPresent(story -> warnOfOtherTasks(work, story));
    BuildCommand.show(call, loop.preview());
  }
}
