package dev.ralph.cli.project;

import dev.ralph.Control;
import dev.ralph.Session;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.cli.session.StatusCommand;
import dev.ralph.cli.text.SafeText;
import dev.ralph.core.internal.branch.WorkBranch;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * {@code ralph branch …}: lists, shows, merges and discards branches of sessions without a running
 * loop.
 */
public final class BranchCommand implements Command {

  /** An action on branches. */
  public enum Act {
    /** Lists all branches. */
    LIST("list the branches of sessions"),
    /** Shows the changes of a branch. */
    DIFF("show the changes on a session branch"),
    /** Merges a branch. */
    MERGE("merge a session branch into your branch"),
    /** Discards a branch. */
    DISCARD("delete the work trees and branches of a session");

    private final String summary;

    Act(String summary) {
      this.summary = summary;
    }
  }

  /** The maximum number of folders named in a warning before a discard deletes them. */
  private static final int MOST_NAMED = 10;

  private final Act act;

  /** Creates the command for an action. */
  public BranchCommand(Act act) {
    this.act = act;
  }

  @Override
  public CommandSyntax syntax() {
    CommandSyntax syntax = CommandSyntax.of(act.summary);
    if (act == Act.LIST) {
      return syntax.common();
    }
    syntax.optionalArgument("NAME");
    if (act == Act.DISCARD) {
      return syntax.flag("force", "discard even unmerged changes").store();
    }
    return syntax.common();
  }

  @Override
  public void run(Invocation call) {
    Path project = call.environment().directory();
    try {
      if (act == Act.LIST) {
        list(call, WorkBranch.list(project));
        return;
      }
      WorkBranch branch = chosen(call, project);
      switch (act) {
        case DIFF -> diff(call, branch);
        case MERGE -> merge(call, branch);
        default -> discard(call, branch);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RalphException.closed("git");
    }
  }

  private static void list(Invocation call, List<WorkBranch> branches) {
    if (call.json()) {
      List<Meta> all = new ArrayList<>();
      for (WorkBranch each : branches) {
        all.add(json(each));
      }
      call.print(Json.of("branches").with("branches", all).json());
    } else if (branches.isEmpty()) {
      call.print(
          "No session branches; ralph build --worktree creates a branch, and git fetch origin"
              + " ralph/NAME:ralph/NAME fetches a branch pushed by a host");
    } else {
      for (WorkBranch each : branches) {
        call.print(line(each));
      }
    }
  }

  private static Meta json(WorkBranch each) {
    return Meta.of("name", each.name())
        .with("branch", each.branch())
        .with("folder", each.root().map(Path::toString).orElse(null))
        .with("commits", each.commits())
        .with("missing", each.missing())
        .with("changed", each.changed())
        .with("tasks", each.tasks())
        .with("set_aside", each.setAside())
        .with("ignored", ignored(each));
  }

  private static List<String> ignored(WorkBranch branch) {
    return branch.ignored().stream().map(Path::toString).toList();
  }

  private static String line(WorkBranch each) {
    String unsaved = each.unsaved();
    String line = each.branch() + "  " + (unsaved.isEmpty() ? "nothing left to merge" : unsaved);
    if (each.commits() > 0 && each.missing() > 0) {
      line += "; " + each.missing() + " behind";
    }
    return SafeText.line(line);
  }

  /** Returns the named branch, or the only branch. */
  private static WorkBranch chosen(Invocation call, Path project) throws InterruptedException {
    String name = call.textIfAny(0);
    if (name != null) {
      return WorkBranch.of(project, name);
    }
    List<WorkBranch> all = WorkBranch.list(project);
    if (all.size() == 1) {
      return all.get(0);
    }
    throw RalphException.invalid(
        all.isEmpty()
            ? "no session branches; ralph build --worktree creates a branch"
            : "name a session; ralph branch list shows " + all.size() + " branches");
  }

  private static void diff(Invocation call, WorkBranch branch) {
    String diff = branch.diff();
    if (call.json()) {
      call.print(json(branch, "branch_diff").with("diff", diff).json());
    } else {
      call.environment().out().now(SafeText.text(diff));
      warnOfChanged(call, branch);
    }
  }

  private static Meta json(WorkBranch branch, String kind) {
    return Json.of(kind).with("name", branch.name()).with("branch", branch.branch());
  }

  private static void merge(Invocation call, WorkBranch branch) throws InterruptedException {
    boolean moved = branch.merge();
    if (call.json()) {
      call.print(json(branch, "branch_merged").with("commits", branch.commits()).json());
    } else {
      call.print(
          moved
              ? "Merged " + count(branch.commits(), "commit") + " from " + branch.branch()
              : "Nothing left to merge from " + branch.branch());
    }
    warnOfChanged(call, branch);
    if (branch.changed() == 0 && branch.setAside().isEmpty()) {
      call.warn("to delete the branch: ralph branch discard " + branch.name());
    }
  }

  private static void warnOfChanged(Invocation call, WorkBranch branch) {
    if (branch.changed() > 0) {
      call.warn(
          count(branch.changed(), "file")
              + " with uncommitted changes in the work tree not included");
    }
  }

  private static String count(int count, String what) {
    return count(count, what, what + "s");
  }

  private static String count(int count, String one, String many) {
    return count + " " + (count == 1 ? one : many);
  }

  /**
   * Validates that no loop uses the session, which the repository alone does not show. A host works
   * in a separate checkout and pushes to the same branch. A killed loop releases its lock although
   * its agents may continue.
   */
  private static void requireNoLoop(Invocation call, String name) {
    StoreAccess store = call.stores().openIfAny();
    Session session = store.session(name);
    Control.RunningLoop loop = session.control().running().orElse(null);
    List<Long> left = StatusCommand.leftBehind(store, session);
    if (!left.isEmpty()) {
      String pids = left.stream().map(String::valueOf).collect(Collectors.joining(" "));
      throw RalphException.contended(
          "processes of a killed loop of "
              + name
              + " still run: process "
              + pids
              + "; end them with ralph build or: kill "
              + pids);
    }
    if (loop != null && loop.live()) {
      throw RalphException.contended(
          "a loop runs the session "
              + name
              + ", in process "
              + loop.pid()
              + " on "
              + loop.host()
              + "; stop the loop first: ralph stop -n "
              + name);
    }
  }

  /** Names at most ten of the ignored folders and files before their deletion. */
  private static void warnOfIgnored(Invocation call, WorkBranch branch) {
    List<String> all = ignored(branch);
    if (!all.isEmpty()) {
      String named = all.stream().limit(MOST_NAMED).collect(Collectors.joining(", "));
      call.warn(
          SafeText.line(
              "deleting "
                  + count(all.size(), "ignored folder or file", "ignored folders and files")
                  + ": "
                  + named
                  + (all.size() > MOST_NAMED ? ", …" : "")));
    }
  }

  private static void discard(Invocation call, WorkBranch branch) throws InterruptedException {
    requireNoLoop(call, branch.name());
    boolean isForced = call.arguments().has("force");
    if (!isForced && !branch.unsaved().isEmpty()) {
      throw RalphException.invalid(
          "discarding "
              + branch.branch()
              + " would lose: "
              + branch.unsaved()
              + "; see ralph branch diff "
              + branch.name()
              + ", or add --force");
    }
    if (!call.json()) {
      warnOfIgnored(call, branch);
    }
    branch.discard(isForced);
    if (call.json()) {
      call.print(json(branch, "branch_discarded").with("ignored", ignored(branch)).json());
    } else {
      call.print("Discarded " + branch.branch());
    }
  }
}
