package dev.ralph.core.internal.workspace;

import dev.ralph.core.CommitOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the agents' folders.
 *
 * @param setUp the command that prepares a folder once, run in the folder; empty for none
 * @param setUpLimit the time limit of that command
 * @param copies untracked paths to copy into each work tree, relative to the project's folder, such
 *     as {@code node_modules}
 * @param portBase the first port of the agents' blocks
 * @param push the target to which the session's branch is pushed after each merge; null for none
 * @param commits the options of merge commits
 */
public record WorkspaceSettings(
    List<String> setUp,
    Duration setUpLimit,
    List<Path> copies,
    int portBase,
    @Nullable Target push,
    CommitOptions commits) {

  /**
   * The target of pushes.
   *
   * @param remote the name of a remote, or an address
   * @param isRequired whether work counts as merged only after the push; otherwise a notice reports
   *     a failure
   */
  public record Target(String remote, boolean isRequired) {}

  /**
   * The default first port of the agents' blocks, below the ephemeral ports of operating systems.
   */
  public static final int PORT_BASE = 20_000;

  /** No preparation. */
  public static final WorkspaceSettings NONE =
      new WorkspaceSettings(
          List.of(), Duration.ofMinutes(10), List.of(), PORT_BASE, null, CommitOptions.DEFAULT);

  /** Creates settings; the lists are copied. */
  public WorkspaceSettings {
    setUp = List.copyOf(setUp);
    copies = List.copyOf(copies);
  }
}
