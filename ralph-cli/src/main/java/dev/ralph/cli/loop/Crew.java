package dev.ralph.cli.loop;

import dev.ralph.Agent;
import dev.ralph.CommandGate;
import dev.ralph.Iteration.Role;
import dev.ralph.Loop;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Environment;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;
import dev.ralph.cli.call.UsageException;
import dev.ralph.log.StoreInfo;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Who does what in a loop: the agent that builds, and those that plan and review if any do. */
final class Crew {

  private static final int USUAL_EVERY = 3;

  /** Roles that an agent has to be named for. */
  private static final List<Role> OTHERS = List.of(Role.PLAN, Role.REVIEW);

  /**
   * One of them.
   *
   * @param arguments what was given, as it holds for this one
   * @param template of its own, or null
   */
  private record Member(
      Role role,
      Arguments arguments,
      AgentChoice choice,
      LoopLimits limits,
      @Nullable Path template) {}

  private final List<Member> members = new ArrayList<>();
  private final int every;

  /**
   * Reads what was given.
   *
   * @throws UsageException if an agent's command line is none, or an option is not for this agent
   */
  Crew(Invocation call) {
    Arguments all = call.arguments();
    Environment environment = call.environment();
    members.add(
        new Member(Role.BUILD, all, AgentChoice.of(all, environment), LoopLimits.of(all), null));
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

  /**
   * Adds what is for roles only, and says which of the other options a role may have its own of.
   */
  static Syntax addTo(Syntax syntax) {
    List<String> names = new ArrayList<>(AgentChoice.optionNames());
    names.remove("port");
    names.addAll(
        List.of("agent", "template", "timeout", "iteration-max-cost", "iteration-max-tokens"));
    return syntax
        .byRole(names)
        .value(
            "review-every",
            "N",
            "after how many iterations the agent of --agent review=AGENT reviews; "
                + USUAL_EVERY
                + " if not given");
  }

  /**
   * Returns what holds for a role, or null where no agent is named for it. The same client has the
   * options of the one that builds, another one only those that are given for it.
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
    return new UsageException(
        option
            + " is for an agent that is not named; name it by --agent "
            + role.word()
            + "=AGENT");
  }

  /** Returns all of them in words. */
  static String describe(Arguments all) {
    StringBuilder words = new StringBuilder(AgentChoice.describe(all));
    for (Role role : OTHERS) {
      Arguments own = of(role, all);
      if (own != null) {
        words.append("; ").append(role.word()).append(": ").append(AgentChoice.describe(own));
      }
    }
    return words.toString();
  }

  /**
   * Looks whether their programs are there, before anything is made for them.
   *
   * @param dry whether they are never run: then that one is not there is only a warning
   * @throws UsageException if one is not
   */
  void requirePrograms(Invocation call, boolean dry) {
    members.forEach(member -> member.choice().requireProgram(call, dry));
  }

  /** Says which limits are not in force. */
  void warnOfLimits(Invocation call) {
    Set<String> warnings = new LinkedHashSet<>();
    members.forEach(member -> warnings.addAll(AgentChoice.limitsNotInForce(member.arguments())));
    warnings.forEach(call::warn);
  }

  /** Makes the agents that work on a session; nothing is started yet. */
  Agents agents(
      Environment environment,
      Path launcher,
      String session,
      StoreInfo store,
      List<CommandGate> gates) {
    List<Agent> made = new ArrayList<>();
    for (Member member : members) {
      made.add(member.choice().agent(environment, launcher, session, store, gates));
    }
    return new Agents(made, launcher);
  }

  /** Returns some that need not be there to show their prompts. */
  Agents neverRun(Path launcher) {
    return new Agents(members.stream().map(member -> BuildCommand.NEVER_RUN).toList(), launcher);
  }

  /** The agents of one run; to be closed when it has ended. */
  final class Agents implements AutoCloseable {

    private final List<Agent> made;
    private final Path launcher;

    private Agents(List<Agent> made, Path launcher) {
      this.made = made;
      this.launcher = launcher;
    }

    /** Returns the one that builds. */
    Agent builder() {
      return made.get(0);
    }

    /** Says how the one that builds reaches the session, and who else there is. */
    void addTo(Loop.Builder loop) {
      loop.tools(members.get(0).choice().tools(launcher));
      for (int i = 1; i < members.size(); i++) {
        Member member = members.get(i);
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
