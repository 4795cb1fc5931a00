package dev.ralph.cli.loop;

import dev.ralph.Agent;
import dev.ralph.Gate;
import dev.ralph.Iteration.Role;
import dev.ralph.Loop;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Environment;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.UsageException;
import dev.ralph.core.CommitOptions;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The agents of a loop: a builder or a team of builders, and optional agents for planning and
 * review.
 */
final class LoopAgents {

  private static final int USUAL_EVERY = 3;

  static final String AGENTS = "agents";

  /** The maximum number of agents of a loop. */
  private static final int MOST = 64;

  /** The roles that require a named agent. */
  private static final List<Role> OTHERS = List.of(Role.PLAN, Role.REVIEW);

  /**
   * An agent.
   *
   * @param arguments the options that apply to the agent
   * @param template the agent's own template, or null
   */
  private record Member(
      Role role,
      Arguments arguments,
      AgentChoice choice,
      LoopLimits limits,
      @Nullable Path template) {}

  private final List<Member> members = new ArrayList<>();
  private final int every;

  private final CommitOptions commits;

  /** The folders of a team; null for a single builder. */
  private final @Nullable TeamPlaces several;

  /**
   * Reads the options of a call.
   *
   * @throws UsageException if an agent's command line is invalid, or an option does not apply to
   *     its agent
   */
  LoopAgents(Invocation call) {
    Arguments all = call.arguments();
    Environment environment = call.environment();
    for (Arguments own : builders(all)) {
      members.add(
          new Member(Role.BUILD, own, AgentChoice.of(own, environment), LoopLimits.of(own), null));
    }
    this.commits = TeamPlaces.commits(all);
    this.several = members.size() > 1 ? new TeamPlaces(all) : null;
    for (Role role : OTHERS) {
      Arguments own = of(role, all);
      if (own != null) {
        String template = own.text("template");
        Path file = template == null ? null : Templates.find(template, call);
        members.add(
            new Member(role, own, AgentChoice.of(own, environment), LoopLimits.of(own), file));
      }
    }
    if (all.has("review-every") && of(Role.REVIEW, all) == null) {
      throw unnamed(all.written("review-every", 0), Role.REVIEW);
    }
    this.every = all.number("review-every", USUAL_EVERY, 1, Integer.MAX_VALUE);
  }

  /** Adds the options for roles, and marks the options that accept a value per role. */
  static CommandSyntax addTo(CommandSyntax syntax) {
    List<String> names = new ArrayList<>(AgentChoice.optionNames());
    names.remove("port");
    names.addAll(
        List.of("agent", "template", "timeout", "iteration-max-cost", "iteration-max-tokens"));
    return TeamPlaces.addTo(
            syntax.value(
                AGENTS,
                "AGENTS",
                "number of agents, or a list of agents: 4 or claude,claude,codex (default: 1)"))
        .byRole(names)
        .value(
            "review-every",
            "N",
            "iterations between reviews by the agent of --agent review=AGENT (default: "
                + USUAL_EVERY
                + ")");
  }

  /** Returns the options of each builder. */
  private static List<Arguments> builders(Arguments all) {
    String given = all.text(AGENTS);
    List<String> names = given == null ? List.of() : named(all, given);
    List<Arguments> builders = new ArrayList<>();
    for (String name : names.isEmpty() ? List.of(AgentChoice.name(all)) : names) {
      Arguments own = all;
      if (!name.equals(AgentChoice.name(all))) {
        own = own.without(all.has("agent") ? AgentChoice.optionNames() : List.of("port"));
      }
      own = own.with("agent", name, all.written(all.has("agent") ? "agent" : AGENTS, 0));
      builders.add(names.size() > 1 ? besideOthers(own) : names.isEmpty() ? all : own);
    }
    return builders;
  }

  /** Returns the names of the agents counted or listed by {@code --agents}. */
  private static List<String> named(Arguments all, String given) {
    if (given.matches("[0-9]+")) {
      return Collections.nCopies(all.number(AGENTS, 1, 1, MOST), AgentChoice.name(all));
    }
    List<String> names = List.of(given.split(",", -1)).stream().map(String::strip).toList();
    if (names.size() > MOST || names.stream().anyMatch(String::isEmpty)) {
      throw new UsageException(
          all.written(AGENTS, 0)
              + " must be a number, 1 to "
              + MOST
              + ", or a list of agents such as claude,claude,codex; not "
              + RalphException.quote(given));
    }
    return names;
  }

  /**
   * Disables opencode's server, because commands run by its sessions could confuse the iterations.
   */
  private static Arguments besideOthers(Arguments own) {
    if (!AgentChoice.name(own).equals(AgentChoice.USUAL_AGENT)) {
      return own;
    }
    if (own.has("port")) {
      throw new UsageException(
          own.written("port", 0)
              + " is for opencode's server, but several agents run without a server; omit it");
    }
    return own.with("no-server", null, "--no-server");
  }

  /** Returns whether several agents work concurrently. */
  boolean areSeveral() {
    return several != null;
  }

  /** Returns whether the agents' work is merged into the session's branch. */
  boolean areMerging() {
    return several != null && !several.isShared();
  }

  /**
   * Returns the options of a role, or null without an agent for the role. The client of the builder
   * inherits the builder's options; another client uses only the options given for it.
   */
  private static @Nullable Arguments of(Role role, Arguments all) {
    Arguments own = all.ofRole(role.word(), List.of("agent", "template", "port"));
    String agent = own.text("agent");
    if (agent == null) {
      String without = all.nameOfRole(role.word());
      if (without != null) {
        throw unnamed("--" + without + " " + role.word() + "=…", role);
      }
      return null;
    }
    if (agent.equals(AgentChoice.name(all))) {
      return own;
    }
    List<String> names = new ArrayList<>(AgentChoice.optionNames());
    names.addAll(List.of("agent", "template"));
    return all.ofRole(role.word(), names);
  }

  private static UsageException unnamed(String option, Role role) {
    return new UsageException(option + " needs an agent; give --agent " + role.word() + "=AGENT");
  }

  /** Returns a description of all agents. */
  static String describe(Arguments all) {
    List<Arguments> builders = builders(all);
    StringBuilder words = new StringBuilder();
    Set<String> each = new LinkedHashSet<>();
    builders.forEach(own -> each.add(AgentChoice.describe(own)));
    if (each.size() == 1) {
      words.append(builders.size() == 1 ? "" : builders.size() + " times ");
      words.append(each.iterator().next());
    } else {
      words.append(
          builders.stream().map(AgentChoice::describe).collect(Collectors.joining(" beside ")));
    }
    for (Role role : OTHERS) {
      Arguments own = of(role, all);
      if (own != null) {
        words.append("; ").append(role.word()).append(": ").append(AgentChoice.describe(own));
      }
    }
    return words.toString();
  }

  /**
   * Validates that the agents' programs exist, before any resource is created.
   *
   * @param dry whether the agents are never run; a missing program is then only a warning
   * @throws UsageException if a program does not exist
   */
  void requirePrograms(Invocation call, boolean dry) {
    members.forEach(member -> member.choice().requireProgram(call, dry));
  }

  /** Returns the permissions of the agents, each text once. */
  String permissions() {
    Set<String> all = new LinkedHashSet<>();
    for (Member member : members) {
      String role = member.role() == Role.BUILD ? "" : member.role().word() + ": ";
      all.add(role + member.choice().permissions());
    }
    return String.join("; ", all);
  }

  /** Warns about limits without effect. */
  void warnOfLimits(Invocation call) {
    Set<String> warnings = new LinkedHashSet<>();
    members.forEach(member -> warnings.addAll(AgentChoice.limitsNotInForce(member.arguments())));
    warnings.forEach(call::warn);
  }

  /** Creates the agents of a session without starting processes. */
  Agents agents(
      Environment environment,
      Path launcher,
      String session,
      StoreInfo store,
      List<Gate.Command> gates) {
    List<Agent> made = new ArrayList<>();
    for (Member member : members) {
      made.add(member.choice().agent(environment, launcher, session, store, gates));
    }
    return new Agents(made, launcher);
  }

  /** Returns placeholders whose prompts can be shown without their programs. */
  Agents neverRun(Path launcher) {
    return new Agents(members.stream().map(member -> BuildCommand.NEVER_RUN).toList(), launcher);
  }

  /** The agents of a run; close them after the run. */
  final class Agents implements AutoCloseable {

    private final List<Agent> made;
    private final Path launcher;

    private Agents(List<Agent> made, Path launcher) {
      this.made = made;
      this.launcher = launcher;
    }

    /** Returns the builder, or the first builder of a team. */
    Agent builder() {
      return made.get(0);
    }

    /** Adds the tools of the builders and the other agents to a loop. */
    void addTo(Loop.Builder loop) {
      loop.tools(members.get(0).choice().tools(launcher));
      loop.workspaces(places -> TeamPlaces.addCommits(commits, places));
      if (several != null) {
        long builders = members.stream().filter(member -> member.role() == Role.BUILD).count();
        loop.agents(
            made.subList(0, (int) builders),
            (agent, own) -> own.tools(members.get(made.indexOf(agent)).choice().tools(launcher)));
        loop.workspaces(several::addTo);
      }
      for (int i = 1; i < members.size(); i++) {
        Member member = members.get(i);
        if (member.role() == Role.BUILD) {
          continue;
        }
        if (member.role() == Role.PLAN) {
          loop.plan(made.get(i), own -> add(member, own));
        } else {
          loop.review(every, made.get(i), own -> add(member, own));
        }
      }
    }

    private void add(Member member, Loop.RoleBuilder own) {
      own.tools(member.choice().tools(launcher));
      member.limits().addTo(own);
      if (member.template() != null) {
        own.template(member.template());
      }
    }

    @Override
    public void close() {
      made.forEach(Agent::close);
    }
  }
}
