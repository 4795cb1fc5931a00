package dev.ralph.core.internal.workspace;

import dev.ralph.core.CommitOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What agents find in their folders.
 *
 * @param setUp the command that prepares a folder once, run in it; empty for none
 * @param setUpLimit after which that command is ended
 * @param copies paths that Git ignores, as seen from the project's folder, such as {@code
 *     node_modules}: each work tree gets a copy of what is there
 * @param portBase from which on each agent gets a block of ports
 * @param push where the session's branch is pushed after each landing; null for nowhere
 * @param commits how the commits are made that land
 */
public record WorkspaceSettings(
    List<String> setUp,
    Duration setUpLimit,
    List<Path> copies,
    int portBase,
    @Nullable Target push,
    CommitOptions commits) {

  /**
   * Where the session's branch is pushed.
   *
   * @param remote the name of a remote, or an address
   * @param isRequired whether nothing counts as landed before it is there; if not, a notice says
   *     what is missing there
   */
  public record Target(String remote, boolean isRequired) {}

  /** Below the ports that systems give to those who ask for any. */
  public static final int PORT_BASE = 20_000;

  /** Nothing is prepared. */
  public static final WorkspaceSettings NONE =
      new WorkspaceSettings(
          List.of(), Duration.ofMinutes(10), List.of(), PORT_BASE, null, CommitOptions.DEFAULT);

  /** Makes settings; the lists are copied. */
  public WorkspaceSettings {
    setUp = List.copyOf(setUp);
    copies = List.copyOf(copies);
  }
}
