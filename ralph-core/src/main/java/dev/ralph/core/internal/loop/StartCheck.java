package dev.ralph.core.internal.loop;

import dev.ralph.Gate;
import dev.ralph.core.Worktree;
import dev.ralph.core.internal.loop.run.LoopRole;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.core.internal.process.ScriptArgument;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Finds the agents and gates of a loop that cannot start, before any agent runs. */
final class StartCheck {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final String REMEDY =
      "; relative paths are resolved in the work tree: commit the file, provide the file by"
          + " --copy or --setup, or use an absolute path";

  private final List<LoopRole> agents;
  private final List<Gate> gates;

  /**
   * Creates a check.
   *
   * @param agents the agents to check
   * @param gates the gates to check; only commands can be checked
   */
  StartCheck(List<LoopRole> agents, List<Gate> gates) {
    this.agents = agents;
    this.gates = gates;
  }

  /** Returns whether a folder is a work tree of Ralph, which lacks uncommitted files. */
  static boolean isWorkTree(Path folder) {
    for (Path at = folder; at != null; at = at.getParent()) {
      if (at.endsWith(Worktree.PLACE)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether all agents and gates can start in any folder. Otherwise a relative path may
   * still exist in the working directory.
   */
  boolean isIndependentOf(Path project) {
    return problem(project.resolve(Worktree.PLACE).resolve(".none")) == null;
  }

  /**
   * Returns the first problem in a folder, with its remedy; null if none exists.
   *
   * @param folder the working directory
   */
  @Nullable String problem(Path folder) {
    for (LoopRole role : agents) {
      try {
        role.agent().requireReady(folder);
      } catch (RalphException e) {
        return "agent: " + e.getMessage() + " (in " + folder + ")" + REMEDY;
      }
    }
    for (Gate gate : gates) {
      if (gate instanceof Gate.Command command) {
        try {
          ProcessSpec.command(command.command().get(0)).directory(folder).build().requireProgram();
        } catch (RalphException e) {
          return "gate "
              + gate.name()
              + ": "
              + e.getMessage()
              + (isRelative(command) ? " (in " + folder + ")" + REMEDY : "");
        }
        String missing = missingScript(command, folder);
        if (missing != null) {
          return "gate " + gate.name() + ": " + missing + " (in " + folder + ")" + REMEDY;
        }
      }
    }
    return null;
  }

  /**
   * Returns a sentence about a gate's script that only the user's checkout has; null if none is
   * missing. An earlier gate may create a file that Git ignores, so these files are not checked.
   */
  private static @Nullable String missingScript(Gate.Command gate, Path folder) {
    ScriptArgument script = ScriptArgument.of(gate.command());
    Path only = script == null ? null : script.onlyInCheckout(folder, Worktree.PLACE);
    return script == null || only == null || isIgnored(only)
        ? null
        : script.problem(gate.command().get(0), only);
  }

  /** Returns whether Git ignores a file, or cannot find out. */
  private static boolean isIgnored(Path file) {
    try {
      Git git = new Git(Objects.requireNonNull(file.getParent(), "folder"), PATIENCE);
      CommandResult answer = git.run("check-ignore", "--quiet", "--", file.toString());
      return answer.isGood() || answer.exit().code() != 1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private static boolean isRelative(Gate.Command gate) {
    String program = gate.command().get(0);
    return program.indexOf('/') > 0;
  }
}
