package dev.ralph.cli.agent;

import dev.ralph.Control.RunningLoop;
import dev.ralph.cli.agent.AgentGroup.AgentException;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Project;
import dev.ralph.cli.call.UsageException;
import dev.ralph.log.RalphException;
import dev.ralph.openspec.internal.Change;
import dev.ralph.openspec.internal.ChangeSession;
import dev.ralph.openspec.internal.OtherStoryException;
import java.nio.file.Path;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Resolves the project, the session and the story of the commands for agents. */
final class AgentCall {

  private AgentCall() {}

  // ---- options

  /** Adds the options of all agent commands. */
  static CommandSyntax common(CommandSyntax syntax) {
    return syntax
        .value(
            "store",
            "DIR",
            "the store (default: RALPH_STORE, the nearest .ralph/store, or the repository's)")
        .common();
  }

  /** Adds the options of commands on a session. */
  static CommandSyntax own(CommandSyntax syntax) {
    return common(syntax.session().value("session", "NAME", "same as --name"));
  }

  /** Adds the options of commands on a story. */
  static CommandSyntax ofStory(CommandSyntax syntax) {
    return own(
        syntax.value(
            "story", "ID", "the story (default: RALPH_STORY, or the result of next-story)"));
  }

  /** Adds the option that binds a session to a process. */
  static CommandSyntax owner(CommandSyntax syntax) {
    return syntax.value(
        "owner-pid",
        "PID",
        "hold the change while this process lives (default: 15 minutes per command)");
  }

  // ---- values

  /** Returns the folder with {@code openspec}. */
  static Path project(Invocation call) {
    return Project.folder(call.environment(), Change.FOLDER);
  }

  /**
   * Returns the session of the call.
   *
   * @throws AgentException SESSION_REQUIRED if neither an option nor the variable names a session
   */
  static ChangeSession session(Invocation call) {
    String name = sessionIfAny(call);
    if (name == null) {
      throw new AgentException(
          AgentException.SESSION_REQUIRED,
          "no session given; set RALPH_SESSION or --session to the session_id printed by"
              + " ralph agent session init");
    }
    call.stores().share();
    return ChangeSession.of(call.store().ralph(), project(call), name);
  }

  static @Nullable String sessionIfAny(Invocation call) {
    return one(call, "RALPH_SESSION", "name", "session");
  }

  /**
   * Returns whether the caller is an agent of a team, with a single task and a separate work tree.
   */
  static boolean isOneOfSeveral(Invocation call) {
    return call.agent() > 0 && call.environment().variable("RALPH_SESSION") != null;
  }

  /**
   * Returns the id of the call's story.
   *
   * @throws AgentException STORY_REQUIRED if no source names a story
   */
  static String story(Invocation call, ChangeSession work) {
    String story = storyIfAny(call, work);
    if (story == null) {
      throw new AgentException(
          AgentException.STORY_REQUIRED,
          "no story given; run ralph agent session next-story, or set RALPH_STORY or --story");
    }
    return story;
  }

  static @Nullable String storyIfAny(Invocation call, ChangeSession work) {
    String given = one(call, "RALPH_STORY", "story");
    return given == null ? work.story().orElse(null) : given;
  }

  /**
   * Returns the value of a variable or of options.
   *
   * @throws UsageException if the values differ
   */
  private static @Nullable String one(Invocation call, String variable, String... options) {
    String place = variable;
    String value = call.environment().variable(variable);
    for (String option : options) {
      String given = call.arguments().text(option);
      if (given != null && value != null && !given.equals(value)) {
        throw new UsageException(
            "--"
                + option
                + " is "
                + RalphException.quote(given)
                + ", but "
                + place
                + " is "
                + RalphException.quote(value)
                + "; give only one of the two");
      }
      if (given != null) {
        place = "--" + option;
        value = given;
      }
    }
    return value;
  }

  /**
   * Returns the process whose lifetime limits the lock on the change, or null.
   *
   * @throws UsageException if no process has the id
   */
  static @Nullable ProcessHandle owner(Invocation call) {
    int pid = call.arguments().number("owner-pid", 0, 1, Integer.MAX_VALUE);
    if (pid == 0) {
      return null;
    }
    return ProcessHandle.of(pid)
        .filter(ProcessHandle::isAlive)
        .orElseThrow(
            () ->
                new UsageException(
                    "--owner-pid " + pid + ": no process with this id runs on this machine"));
  }

  /**
   * Rejects an action that a loop performs itself, because the loop's agent may call the command
   * too.
   *
   * @param whose matches the loops that perform the action
   * @param does the description of the action
   * @throws RalphException CONTENDED if such a loop works on the session
   */
  static void requireNoLoop(ChangeSession work, Predicate<RunningLoop> whose, String does) {
    work.session()
        .control()
        .running()
        .filter(whose)
        .ifPresent(
            loop -> {
              throw RalphException.contended(
                  "a loop runs the session "
                      + work.name()
                      + ", in process "
                      + loop.pid()
                      + " on "
                      + loop.host()
                      + ", and "
                      + does
                      + "; to stop the loop: ralph stop -n "
                      + work.name());
            });
  }

  /** Runs an action on a task, and rejects a task of another story. */
  static <T> T inScope(Supplier<T> act) {
    try {
      return act.get();
    } catch (OtherStoryException e) {
      throw new AgentException(AgentException.SCOPE_ERROR, String.valueOf(e.getMessage()));
    }
  }
}
