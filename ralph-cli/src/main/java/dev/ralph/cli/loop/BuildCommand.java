package dev.ralph.cli.loop;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.LoopResult;
import dev.ralph.Session;
import dev.ralph.Verdict;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Environment;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.github.IssueTasks;
import dev.ralph.cli.github.PullRequest;
import dev.ralph.cli.progress.BuildBranch;
import dev.ralph.cli.progress.BuildProgress;
import dev.ralph.cli.progress.Hooks;
import dev.ralph.cli.progress.UserBranchMerge;
import dev.ralph.cli.session.StatusCommand;
import dev.ralph.cli.task.ListedTasks;
import dev.ralph.core.Worktree;
import dev.ralph.core.internal.git.RepositoryLockedException;
import dev.ralph.log.RalphException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** {@code ralph build}: runs an agent repeatedly until the work is complete. */
public final class BuildCommand implements Command {

  static final String USUAL_SPEC = "./specs/SPEC.md";

  /** Replaces an agent whose prompt is shown without running the agent. */
  static final Agent NEVER_RUN = turn -> AgentResult.fatal("this agent is never run");

  @Override
  public CommandSyntax syntax() {
    CommandSyntax syntax =
        CommandSyntax.of("run an agent on a session in iterations until the work is complete")
            .optionalArgument("TEXT")
            .session()
            .value("p", "prompt", "TEXT", "the prompt (default: piped text, else the template)")
            .value("s", "spec", "FILE", "the spec to build (default: " + USUAL_SPEC + ")")
            .value("tasks", "FILE", "add the open items of the check lists in FILE as tasks first")
            .flag("no-tick", "do not tick the boxes of completed tasks in the file of --tasks")
            .value("change", "CHANGE", "work through an OpenSpec change, story by story")
            .flag(
                "worktree", "work in a separate Git work tree and commit on the branch ralph/NAME")
            .flag(
                "pr",
                "push the branch ralph/NAME to origin and open a draft pull request (with gh)")
            .flag("detach", "offer the session to hosts (ralph work) and return immediately")
            .values("label", "LABEL", "with --detach: a label that the host must have; repeatable");
    AgentChoice.addTo(syntax)
        .value(
            "template",
            "FILE",
            "the prompt template (default: the nearest .ralph.template, else built in)")
        .value(
            "extra",
            "TEXT",
            "text for {{extra}} in the template; appended if the template has no {{extra}}")
        .values(
            "gate",
            "COMMAND",
            "a command that must succeed before the work is complete; repeatable");
    return LoopAgents.addTo(LoopLimits.addTo(Hooks.addTo(syntax)))
        .flag("standby", "wait while another loop runs the session, then continue the session")
        .flag("wait", "wait before each iteration until no question is open")
        .flag("watch", "on a terminal show the page of ralph watch instead of lines")
        .flag("quiet", "hide the output of the agent")
        .flag("no-record", "do not record the prompts and actions of the agent")
        .flag("yes", "trust the present files of the project without asking")
        .flag("dry-run", "print the prompt of the next iteration and change nothing")
        .store();
  }

  @Override
  public void run(Invocation call) {
    if (call.arguments().has("detach")) {
      new DetachedBuild(call, syntax()).run();
      return;
    }
    if (call.arguments().has("label")) {
      throw new UsageException("--label is for --detach, or for ralph work");
    }
    if (call.arguments().has("change")) {
      TypedTask.refuse(call);
      new ChangeBuild(call, syntax()).run();
      return;
    }
    TypedTask typed = TypedTask.of(call);
    String name = call.sessionName();
    boolean dry = call.arguments().has("dry-run");
    BuildConfig config = BuildConfig.of(call, syntax());
    if (!dry) {
      new ProjectTrust(call).config(config).require();
    }
    config.addTo(call);
    ClientSelection.addTo(call, dry);
    Arguments arguments = call.arguments();
    LoopLimits limits = LoopLimits.of(arguments);
    List<Gate.Command> gates = AgentChoice.gates(arguments);
    LoopAgents team = new LoopAgents(call);
    Path launcher = launcher(call.environment());
    team.requirePrograms(call, dry);
    PullRequest pullRequest = pullRequest(call, team, name);
    if (dry) {
      warnOfMissingGates(call, gates);
      UserBranchMerge.warnOfUnmerged(call, call.environment().directory(), name);
    }
    team.warnOfLimits(call);
    String list = arguments.text("tasks"); // before the prompt, which reads standard input
    @Nullable ListedTasks tasks = list == null ? null : ListedTasks.read(call, list);
    if (tasks != null && tasks.isEmpty()) {
      call.warn(
          tasks.isComplete()
              ? "all items of " + list + " are ticked"
              : "no open item ('- [ ] text') in " + list);
    }
    Prompt prompt = Prompt.of(call);
    if (tasks != null && tasks.isComplete() && typed == null && hasNoOtherWork(call, prompt)) {
      call.warn("no open work; to begin, add an open item '- [ ] text' to " + list);
      return;
    }
    Path spec = spec(call, prompt, typed != null || tasks != null && !tasks.isEmpty());
    StoreAccess store = dry ? call.stores().openIfAny() : call.stores().openOrCreate();
    call.stores().warnIfTracked();
    Session session = call.sessionOrNew();
    if (tasks != null && !tasks.isEmpty() && dry) {
      call.warn("ralph build adds the tasks of " + list + "; they are not shown here");
    } else if (tasks != null) {
      tasks.addTo(session);
    }
    if (typed != null && dry) {
      call.warn("ralph build adds the task in the command line; it is not shown here");
    } else if (typed != null) {
      call.reportCreation();
      typed.addTo(session);
    }
    if (!dry) {
      IssueTasks.show(call, session);
    }
    WorkPlace place =
        dry || team.areMerging() // each agent then has a separate work tree of the same branch
            ? WorkPlace.plain(call.environment().directory())
            : WorkPlace.of(call, call.environment().directory(), name, store.frames());
    UserBranchMerge userMerge =
        team.areMerging() ? new UserBranchMerge(place.folder(), name, pullRequest == null) : null;
    PlanTicks ticks =
        dry ? null : PlanTicks.of(call, tasks, session, place.tree(), team.areMerging());
    String location = store.frames().info().location();
    try (place;
        LoopAgents.Agents agents =
            dry
                ? team.neverRun(launcher)
                : team.agents(
                    call.environment(), launcher, name, store.ralph().agentStore(), gates);
        Hooks hooks = Hooks.of(call, name, call.stores().address().location())) {
      BuildProgress progress =
          new BuildProgress(
              call,
              session,
              store,
              BuildHeader.lines(
                  call,
                  session,
                  new BuildHeader.Facts(
                      location,
                      StatusCommand.counts(session.tasks().list()),
                      BuildHeader.spec(call, spec, prompt.isOwn()),
                      team.permissions(),
                      limits.iterations())),
              call.continuation(name),
              new BuildBranch(call, place.tree(), userMerge),
              limits.iterations());
      Loop.Builder builder =
          session
              .loop(agents.builder())
              .directory(place.folder())
              .standBy(arguments.has("standby"))
              .waitForAnswers(arguments.has("wait"))
              .record(!arguments.has("no-record"));
      agents.addTo(builder);
      limits.addTo(builder);
      if (pullRequest != null) {
        progress.publish(pullRequest, arguments.values("gate"));
      }
      if (ticks != null) {
        ticks.tick(); // a killed run may not have ticked its last tasks
        ticks.addTo(builder);
        builder.onEvent(ticks::event);
      }
      Worktree tree = place.tree();
      if (tree != null) {
        tree.preCommit().ifPresent(builder::gate);
      }
      for (Gate.Command gate : gates) {
        builder.gate(gate);
      }
      if (tree != null) {
        builder.finalGate(Gate.named("the commit", context -> commit(call, place, tree, ticks)));
      }
      prompt.addTo(builder);
      boolean onlyTasks = spec == null && !prompt.isOwn();
      if (spec != null) {
        builder.spec(spec);
      }
      if (onlyTasks) {
        // Without a spec and a prompt, completion needs no claim by an agent. But an iteration must
        // first read a text added for this run.
        int before = prompt.saysMore() ? begun(session) : -1;
        builder.doneWhen(now -> begun(now) > before);
      } else {
        progress.requireClaim();
      }
      if (arguments.has("watch") && !dry) {
        progress.watch(builder.build()::preview); // the loop is never started
      }
      builder
          .onEvent(userMerge == null ? event -> {} : userMerge::event)
          .onEvent(dry ? event -> call.warn(event.message()) : progress::event)
          .onEvent(hooks::event);
      try (Loop loop = builder.build()) {
        call.reportCreation();
        if (onlyTasks) {
          hintAtTasks(call, session, dry);
        }
        if (dry) {
          show(call, loop.preview());
        } else {
          drive(call, loop, agents::close, progress, hooks);
        }
      }
    }
  }

  /**
   * Prepares the pull request of a build with {@code --pr}, which implies {@code --worktree}.
   * Returns null without the option, and in a dry run.
   *
   * @throws UsageException if the requirements of a pull request are not met
   */
  static @Nullable PullRequest pullRequest(Invocation call, LoopAgents team, String name) {
    if (!call.arguments().has("pr")) {
      return null;
    }
    if (team.areSeveral() && !team.areMerging()) {
      throw new UsageException(
          "--pr needs a branch of the session, but --"
              + TeamPlaces.SHARED
              + " uses none; omit one of the two");
    }
    Arguments.Builder implied = Arguments.builder();
    implied.add("worktree", null, "--pr");
    call.addDefaults(implied.build());
    return call.arguments().has("dry-run") ? null : PullRequest.prepare(call, name);
  }

  /** Returns the number of the newest iteration that could process added tasks and texts. */
  static int begun(Session session) {
    return session.iterations().list().stream()
        .filter(iteration -> iteration.role() != Iteration.Role.REVIEW)
        .reduce((older, newer) -> newer)
        .map(Iteration::number)
        .orElse(0);
  }

  /**
   * Reports at the start that a session without a spec uses tasks and messages, and warns in a dry
   * run if none are open.
   */
  private static void hintAtTasks(Invocation call, Session session, boolean dry) {
    if (session.iterations().last().isEmpty() && !call.environment().out().isTerminal()) {
      call.warn("no " + USUAL_SPEC + "; working from tasks and messages");
    }
    if (dry && session.tasks().list().open().isEmpty() && session.inbox().unread().isEmpty()) {
      call.warn("no open task and no unread message; ralph build only runs the gates");
    }
  }

  private static Verdict commit(
      Invocation call, WorkPlace place, Worktree tree, @Nullable PlanTicks ticks)
      throws InterruptedException {
    try {
      if (ticks != null) {
        ticks.tick();
      }
      if (tree.commit("Complete " + tree.name()).isEmpty()) {
        call.warn(
            "warning: no new commit on "
                + tree.branch()
                + ", because the work tree has no changes; see 'git stash list' for stashed"
                + " changes");
      }
      return Verdict.passed();
    } catch (RepositoryLockedException e) {
      throw e;
    } catch (RalphException e) {
      return Verdict.failed(Objects.requireNonNullElse(e.getMessage(), e.toString()));
    } finally {
      place.printNotices(call);
    }
  }

  /** Prints a prompt instead of running a loop. */
  static void show(Invocation call, String text) {
    if (call.json()) {
      call.answer("prompt", "text", text);
    } else {
      call.environment().out().now(text.endsWith("\n") ? text : text + "\n");
    }
  }

  public static void drive(
      Invocation call, Loop loop, Runnable closeAgents, BuildProgress progress, Hooks hooks) {
    LoopResult result;
    try (SignalWatch watch = SignalWatch.over(loop, progress::signalled, closeAgents)) {
      // A failing loop emits its last event when closed, so it closes before the listener.
      try (progress;
          loop) {
        result = loop.run();
        progress.ended(result);
        hooks.close();
      }
      watch.ended(); // after a signal the process ends now and loses unwritten data
    }
    int code = ExitCode.of(result.reason(), progress.lastFailed());
    boolean isUnpublished = code == ExitCode.DONE && progress.isUnpublished();
    call.exitWith(isUnpublished ? ExitCode.FAILED : code);
  }

  /** Warns about gates with missing programs. A loop rejects such gates at its start. */
  static void warnOfMissingGates(Invocation call, List<Gate.Command> gates) {
    for (Gate.Command gate : gates) {
      String program = gate.command().get(0);
      if (program.indexOf('/') < 0
          && call.environment().variable("PATH") != null
          && call.environment().program(program) == null) {
        call.warn("warning: the program '" + program + "' of the gate is not on the PATH");
      }
    }
  }

  public static Path launcher(Environment environment) {
    Path launcher = environment.launcher();
    if (launcher == null) {
      throw new UsageException(
          "the launcher script ralph is unknown, but the agent needs it; start Ralph by this"
              + " script");
    }
    return launcher;
  }

  /** Returns the spec, or null if the work comes from a custom prompt, tasks or messages. */
  static @Nullable Path spec(Invocation call, Prompt prompt, boolean hasTasks) {
    String given = call.arguments().text("spec");
    Path spec = call.environment().path(given == null ? USUAL_SPEC : given);
    if (Files.isRegularFile(spec)) {
      return spec;
    }
    if (given == null && (prompt.isOwn() || hasTasks || saysWhatToDo(call))) {
      return null;
    }
    throw RalphException.notFound(
        "the spec "
            + RalphException.quote(spec.toString())
            + (Files.exists(spec) ? " is not a file" : " does not exist")
            + "; give a spec by --spec FILE, or the work by --prompt TEXT, ralph task add or ralph"
            + " message");
  }

  /** Returns whether neither a spec, a prompt nor the session contains work. */
  private static boolean hasNoOtherWork(Invocation call, Prompt prompt) {
    return !call.arguments().has("spec")
        && !Files.exists(call.environment().path(USUAL_SPEC))
        && !prompt.isOwn()
        && !saysWhatToDo(call);
  }

  /** Returns whether the session ever had a task or a message, completed or not. */
  private static boolean saysWhatToDo(Invocation call) {
    Session session = call.stores().openIfAny().session(call.sessionName());
    return !session.tasks().list().isEmpty() || !session.inbox().history().isEmpty();
  }
}
