package dev.ralph.cli.loop;

import dev.ralph.Gate;
import dev.ralph.Loop;
import dev.ralph.Session;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.progress.Hooks;
import dev.ralph.cli.progress.WorkLines;
import dev.ralph.core.internal.host.SessionOffer;
import dev.ralph.core.internal.host.SessionWork;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.text.PlainPath;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Creates the loop of a session taken by this host. The host's options take precedence, followed by
 * the options of the session's project if they are trusted.
 */
final class HostedBuild {

  /** The options for the number of agents, which the host decides. */
  private static final List<String> OF_THE_HOST = List.of(LoopAgents.AGENTS, TeamPlaces.SHARED);

  private final Invocation call;
  private final BuildConfig config;
  private final CommandSyntax syntax;
  private final Path launcher;
  private final WorkLines lines;

  /**
   * @param call the call of {@code ralph work} with the host's options
   * @param config the options of the host from a file
   * @param syntax the syntax of {@code ralph build}
   */
  HostedBuild(
      Invocation call, BuildConfig config, CommandSyntax syntax, Path launcher, WorkLines lines) {
    this.call = call;
    this.config = config;
    this.syntax = syntax;
    this.launcher = launcher;
    this.lines = lines;
  }

  /**
   * Returns the repository of a checkout without an origin: the folder shared by all its work
   * trees.
   */
  static String here(Git git) {
    String common =
        git.query("rev-parse", "--path-format=absolute", "--git-common-dir").orElse("").strip();
    return common.endsWith("/.git")
        ? common.substring(0, common.length() - "/.git".length())
        : common;
  }

  Loop.Builder loop(SessionWork work) {
    Invocation own = call.in(work.folder());
    BuildConfig fetched = BuildConfig.of(own, syntax);
    new ProjectTrust(own).config(fetched).requireFetched(config);
    fetched.addTo(own, OF_THE_HOST);
    Arguments arguments = own.arguments();
    Session session = work.session();
    List<Gate.Command> gates = AgentChoice.gates(arguments);
    LoopAgents team = new LoopAgents(own);
    team.requirePrograms(own, false);
    LoopAgents.Agents agents =
        team.agents(
            own.environment(), launcher, session.name(), call.store().ralph().agentStore(), gates);
    work.whenEnded(agents::close);
    Hooks hooks = Hooks.of(own, session.name(), call.stores().address().location());
    work.whenEnded(hooks::close);
    Loop.Builder builder =
        session
            .loop(agents.builder())
            .waitForAnswers(arguments.has("wait"))
            .record(!arguments.has("no-record"))
            .onEvent(lines::loop)
            .onEvent(hooks::event);
    agents.addTo(builder);
    LoopLimits.of(arguments).addTo(builder);
    gates.forEach(builder::gate);
    addTask(builder, own, work);
    return builder;
  }

  /** Adds the prompt, template or spec of the work. */
  private static void addTask(Loop.Builder builder, Invocation own, SessionWork work) {
    SessionOffer offer = work.offer();
    String prompt = offer.prompt();
    Path template = Templates.find(own.arguments().text("template"), own);
    if (prompt != null) {
      builder.prompt(prompt);
    } else if (template != null) {
      builder.template(template);
    }
    Path spec = spec(own, work);
    if (spec != null) {
      builder.spec(spec);
    } else if (prompt == null) {
      builder.doneWhen(now -> true); // tasks and messages define all work
    }
  }

  private static @Nullable Path spec(Invocation own, SessionWork work) {
    String offered = work.offer().spec();
    if (offered != null) {
      Path spec = work.top().resolve(offered).normalize();
      PlainPath.require(work.top(), spec);
      return spec;
    }
    String configured = own.arguments().text("spec");
    Path spec = own.environment().path(configured == null ? BuildCommand.USUAL_SPEC : configured);
    return configured != null || Files.isRegularFile(spec) ? spec : null;
  }
}
