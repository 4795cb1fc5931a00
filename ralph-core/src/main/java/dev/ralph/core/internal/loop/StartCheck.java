package dev.ralph.core.internal.loop;

import dev.ralph.Gate;
import dev.ralph.core.Worktree;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the agents and gates of a loop that cannot start, before any agent runs. */
final class StartCheck {

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
      }
    }
    return null;
  }

  private static boolean isRelative(Gate.Command gate) {
    String program = gate.command().get(0);
    return program.indexOf('/') > 0;
  }
}
