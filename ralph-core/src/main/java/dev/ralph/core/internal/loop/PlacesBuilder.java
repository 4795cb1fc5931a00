package dev.ralph.core.internal.loop;

import dev.ralph.Loop;
import dev.ralph.Task;
import dev.ralph.core.CommitOptions;
import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.loop.run.LoopRole;
import dev.ralph.core.internal.loop.run.LoopSettings;
import dev.ralph.core.internal.workspace.WorkspaceSettings;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** The configuration of several agents' workspaces. */
final class PlacesBuilder implements Loop.WorkspaceBuilder {

  private static final int FIRST_FREE_PORT = 1024;
  private static final int LAST_PORT = 65_535;

  private List<String> setUp = List.of();
  private final List<Path> copies = new ArrayList<>();
  private int portBase = WorkspaceSettings.PORT_BASE;
  private WorkspaceSettings.@Nullable Target push;
  private CommitOptions commits = CommitOptions.DEFAULT;
  private boolean isShared;
  private @Nullable String name;
  private LoopSettings.@Nullable OnMerge onMerge;

  @Override
  public PlacesBuilder setUp(List<String> command) {
    if (command.isEmpty()) {
      throw RalphException.invalid("the set-up command needs a program");
    }
    this.setUp = List.copyOf(command);
    return this;
  }

  @Override
  public PlacesBuilder copy(Path path) {
    copies.add(GitTrees.inside(path));
    return this;
  }

  @Override
  public PlacesBuilder portBase(int port) {
    if (port < FIRST_FREE_PORT || port > LAST_PORT) {
      throw RalphException.invalid(
          "portBase must be " + FIRST_FREE_PORT + " to " + LAST_PORT + ", not " + port);
    }
    this.portBase = port;
    return this;
  }

  @Override
  public PlacesBuilder name(String name) {
    this.name = Topic.checkSegment("the branch name", name);
    return this;
  }

  @Override
  public PlacesBuilder onMerge(Path file, BiFunction<Task, String, String> text) {
    this.onMerge = new LoopSettings.OnMerge(GitTrees.inside(file), false, text);
    return this;
  }

  @Override
  public PlacesBuilder onMergeWithEdits(Path file, BiFunction<Task, String, String> text) {
    this.onMerge = new LoopSettings.OnMerge(GitTrees.inside(file), true, text);
    return this;
  }

  @Override
  public PlacesBuilder push(String remote) {
    this.push = new WorkspaceSettings.Target(Objects.requireNonNull(remote, "remote"), false);
    return this;
  }

  @Override
  public PlacesBuilder noHooks() {
    this.commits = new CommitOptions(false, commits.title());
    return this;
  }

  @Override
  public PlacesBuilder commitTitle(String template) {
    this.commits = new CommitOptions(commits.hooks(), Objects.requireNonNull(template, "template"));
    return this;
  }

  /** Returns the options of commits. */
  CommitOptions commits() {
    return commits;
  }

  /** Returns whether each agent has a separate work tree. */
  boolean areTrees() {
    return !isShared;
  }

  /** Makes work count as merged only after it is pushed to an address. */
  void pushAlways(String address) {
    this.push = new WorkspaceSettings.Target(address, true);
  }

  @Override
  public PlacesBuilder sharedDirectory() {
    this.isShared = true;
    return this;
  }

  /** Returns the settings of several agents with their roles. */
  LoopSettings.Several of(List<LoopRole> agents) {
    if (isShared
        && !(setUp.isEmpty()
            && copies.isEmpty()
            && push == null
            && name == null
            && onMerge == null)) {
      throw RalphException.invalid(
          "agents with a shared directory support no setUp, copy, name, onMerge or push;"
              + " remove these settings or the shared directory");
    }
    return new LoopSettings.Several(
        agents,
        isShared,
        name,
        onMerge,
        new WorkspaceSettings(
            setUp, WorkspaceSettings.NONE.setUpLimit(), copies, portBase, push, commits));
  }
}
