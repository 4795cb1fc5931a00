package dev.ralph.cli.session;

import dev.ralph.Session;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.UsageException;
import dev.ralph.core.internal.branch.BranchHold;
import dev.ralph.core.internal.git.BranchOwner;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.process.GitCeilings;
import dev.ralph.log.FrameLog;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import dev.ralph.openspec.internal.ChangeSession;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

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
    OwnedBranch branch = OwnedBranch.of(call, name);
    session.delete();
    if (branch != null) {
      forget(call, branch);
    }
    if (call.json()) {
      call.print(Json.of("deleted").with("session", name).json());
    } else {
      call.print(
          "Deleted the session "
              + name
              + " permanently; backups, exports and copies of the store still contain the session");
    }
  }

  /** The owner and the name of a session's branch. */
  private record OwnedBranch(BranchOwner owner, String name) {

    /**
     * Returns the branch of a session, or of its change; null if a newer session works on the
     * change.
     */
    static @Nullable OwnedBranch of(Invocation call, String session) {
      FrameLog log = call.store().frames();
      ChangeSession work = onChange(call, session);
      if (work == null) {
        return new OwnedBranch(BranchOwner.of(log, session), session);
      }
      return BranchOwner.isNewest(log, work.topic(), session)
          ? new OwnedBranch(BranchOwner.of(log, work.topic()), work.changeName())
          : null;
    }

    private static @Nullable ChangeSession onChange(Invocation call, String session) {
      try {
        return ChangeSession.of(call.store().ralph(), call.environment().directory(), session);
      } catch (NotFoundException isOrdinary) {
        return null;
      }
    }
  }

  /**
   * Removes the references with which a later session of the same name, or a later session on the
   * same change, would continue a deleted session's branch.
   */
  private static void forget(Invocation call, OwnedBranch branch) {
    String name = branch.name();
    Path folder = call.environment().directory();
    if (GitCeilings.ofProcess().upward(folder).stream()
        .noneMatch(each -> Files.exists(each.resolve(".git")))) {
      return;
    }
    try {
      BranchHold hold = BranchHold.take(folder, name);
      try (hold) {
        SessionNames names = new SessionNames(name);
        if (branch.owner().forget(new Git(folder, PATIENCE), names)) {
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
