package dev.ralph.cli.session;

import dev.ralph.Session;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.UsageException;
import dev.ralph.core.BranchHold;
import dev.ralph.core.internal.git.BranchOwner;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.process.GitCeilings;
import dev.ralph.log.RalphException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** {@code ralph delete}. */
public final class DeleteCommand implements Command {

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("erase all frames of a session permanently")
        .session()
        .flag("yes", "do not ask for confirmation")
        .store();
  }

  @Override
  public void run(Invocation call) {
    if (!call.namesASession()) {
      throw new UsageException("ralph delete needs --name (erasure is permanent)");
    }
    String name = call.sessionName();
    Session session = call.session();
    boolean asks = call.environment().isTypedIn() && !call.json() && !call.arguments().has("yes");
    if (asks && !call.isAgreed(question(session))) {
      throw RalphException.invalid("nothing was deleted");
    }
    BranchOwner owner = BranchOwner.of(call.store().frames(), name);
    session.delete();
    forgetBranch(call, name, owner);
    if (call.json()) {
      call.print(Json.of("deleted").with("session", name).json());
    } else {
      call.print(
          "Deleted the session "
              + name
              + " permanently; backups, exports and copies of the store still contain the session");
    }
  }

  /**
   * Removes the references with which a later session of the same name would continue this
   * session's branch.
   */
  private static void forgetBranch(Invocation call, String name, BranchOwner owner) {
    Path folder = call.environment().directory();
    if (GitCeilings.ofProcess().upward(folder).stream()
        .noneMatch(each -> Files.exists(each.resolve(".git")))) {
      return;
    }
    try {
      BranchHold hold = BranchHold.take(folder, name);
      try (hold) {
        SessionNames names = new SessionNames(name);
        if (owner.forget(new Git(folder, PATIENCE), names)) {
          call.warn(
              "the branch "
                  + names.branch()
                  + " still exists; to delete it: ralph branch discard "
                  + name);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RalphException e) {
      call.warn(
          "warning: references of the branch ralph/"
              + name
              + " were not deleted: "
              + e.getMessage());
    }
  }

  private static String question(Session session) {
    int tasks = session.tasks().list().size();
    int iterations = session.iterations().list().size();
    return "Erase the session "
        + session.name()
        + " permanently? It has "
        + tasks
        + (tasks == 1 ? " task and " : " tasks and ")
        + iterations
        + (iterations == 1 ? " iteration." : " iterations.");
  }
}
