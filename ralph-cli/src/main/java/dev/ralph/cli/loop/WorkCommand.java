package dev.ralph.cli.loop;

import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.progress.Hooks;
import dev.ralph.cli.progress.WorkLines;
import dev.ralph.core.internal.host.SessionHost;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** {@code ralph work}: takes offered sessions and runs them until the process is told to end. */
public final class WorkCommand implements Command {

  private static final int MOST_SESSIONS = 1_000;
  private static final String USUAL_FOLDER = ".ralph/hosted";
  private static final Duration GIT_TIME = Duration.ofSeconds(30);

  /** The options in the host's file that apply to a local session only. */
  private static final List<String> OF_A_SESSION =
      List.of("name", "spec", "worktree", "standby", TeamPlaces.SHARED);

  @Override
  public CommandSyntax syntax() {
    CommandSyntax syntax =
        CommandSyntax.of("run sessions of ralph build --detach on this host")
            .value("sessions", "N", "number of parallel sessions (default: 1)")
            .values("label", "LABEL", "a label of this host; repeatable")
            .values(
                "repository",
                "ADDRESS",
                "a repository that the host may fetch, or a prefix of addresses (default: origin"
                    + " of this checkout); repeatable")
            .value("folder", "DIR", "the folder for the sessions (default: " + USUAL_FOLDER + ")");
    AgentChoice.addTo(syntax)
        .value(
            "template",
            "FILE",
            "the prompt template (default: the template of the session's project)")
        .values(
            "gate",
            "COMMAND",
            "a command that must succeed before the work is complete; repeatable");
    return LoopAgents.addTo(LoopLimits.addTo(Hooks.addTo(syntax)))
        .flag("wait", "wait before each iteration until no question is open")
        .flag("no-record", "do not record the prompts and actions of the agents")
        .flag("yes", "trust the files of the sessions' projects without asking")
        .store();
  }

  @Override
  public void run(Invocation call) {
    if (call.arguments().has(TeamPlaces.SHARED)) {
      throw new UsageException(
          "--" + TeamPlaces.SHARED + " is for ralph build; on a host each agent has a work tree");
    }
    CommandSyntax build = new BuildCommand().syntax();
    BuildConfig config = BuildConfig.of(call, build);
    new ProjectTrust(call).config(config).require();
    config.addTo(call, OF_A_SESSION);
    Arguments arguments = call.arguments();
    int sessions = arguments.number("sessions", 1, 1, MOST_SESSIONS);
    LoopAgents team = new LoopAgents(call);
    if (arguments.has("agent")) {
      team.requirePrograms(call, false);
    }
    team.warnOfLimits(call);
    BuildCommand.warnOfMissingGates(call, AgentChoice.gates(arguments));
    Path launcher = BuildCommand.launcher(call.environment());
    List<String> repositories = repositories(call);
    call.stores().openOrCreate();
    call.reportCreation();
    WorkLines lines = new WorkLines(call);
    HostedBuild builds = new HostedBuild(call, config, build, launcher, lines);
    String folder = arguments.text("folder");
    SessionHost.Builder builder =
        SessionHost.builder(call.store().ralph(), builds::loop)
            .folder(call.environment().path(folder == null ? USUAL_FOLDER : folder))
            .sessions(sessions)
            .onEvent(lines::host);
    arguments.values("label").forEach(builder::label);
    repositories.forEach(builder::repository);
    if (!call.json()) {
      call.warn(
          "waiting for sessions"
              + (repositories.isEmpty() ? "" : " of " + String.join(", ", repositories))
              + "; press Ctrl+C to stop");
    }
    run(call, builder.build());
  }

  private static void run(Invocation call, SessionHost host) {
    try (SignalWatch watch = SignalWatch.over(host::close, () -> {})) {
      host.run();
      watch.ended();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    call.exitWith(ExitCode.INTERRUPTED);
  }

  /** Returns the repositories that the host may fetch; by default the origin of this checkout. */
  private static List<String> repositories(Invocation call) {
    List<String> given = new ArrayList<>(call.arguments().values("repository"));
    if (given.isEmpty()) {
      Git git = new Git(call.environment().directory(), GIT_TIME);
      String origin = git.query("remote", "get-url", "origin").orElse("").strip();
      String here = origin.isEmpty() ? HostedBuild.here(git) : origin;
      if (!here.isEmpty()) {
        given.add(here);
      }
    }
    for (String each : given) {
      if (each.isBlank()) {
        throw RalphException.invalid("--repository must not be empty");
      }
    }
    return given;
  }
}
