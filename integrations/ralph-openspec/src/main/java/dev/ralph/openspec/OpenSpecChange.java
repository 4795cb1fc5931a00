package dev.ralph.openspec;

import dev.ralph.Agent;
import dev.ralph.Loop;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.core.Worktree;
import dev.ralph.log.ContendedException;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.openspec.internal.ChangeLoop;
import dev.ralph.openspec.internal.ChangeLoopBuilder;
import dev.ralph.openspec.internal.ChangeSession;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A change of OpenSpec that this program holds, and loops over its stories.
 *
 * <pre>{@code
 * OpenSpecChange change =
 *     OpenSpecChange.open(ralph, project, "add-login", ProcessHandle.current());
 * LoopResult result = change.loop(agent).maxCost(new BigDecimal("5")).run();
 * }</pre>
 *
 * <p>Immutable; safe for use by many threads.
 */
public final class OpenSpecChange {

  private final Ralph ralph;
  private final ChangeSession work;
  private final @Nullable Worktree worktree;

  private OpenSpecChange(Ralph ralph, ChangeSession work, @Nullable Worktree worktree) {
    this.ralph = ralph;
    this.work = work;
    this.worktree = worktree;
  }

  /**
   * Acquires a change. Resumes the newest session of the change that has not ended, for example
   * after its process was killed, and begins a session if none exists.
   *
   * @param project the folder with {@code openspec}
   * @param owner the process for whose lifetime the session holds the change, or null to hold the
   *     change for 15 minutes after the last use
   * @throws NotFoundException if there is no such change
   * @throws ContendedException if another session holds the change; the message names the session
   */
  public static OpenSpecChange open(
      Ralph ralph, Path project, String change, @Nullable ProcessHandle owner) {
    return new OpenSpecChange(ralph, ChangeSession.open(ralph, project, change, owner), null);
  }

  /**
   * Returns the same change for work in a work tree, which must contain the project. Loops commit
   * each story there. To reject a branch of another store, open the work tree with the {@linkplain
   * #topic topic} of the change.
   */
  public OpenSpecChange in(Worktree worktree) {
    Objects.requireNonNull(worktree, "worktree");
    ChangeSession there = ChangeSession.of(ralph, worktree.folder(), work.name());
    return new OpenSpecChange(ralph, there, worktree);
  }

  /** Returns the session whose notes are the learnings of the change. */
  public Session session() {
    return work.session();
  }

  /** Returns the topic of all sessions on the change. */
  public Topic topic() {
    return work.topic();
  }

  /**
   * Returns a builder of a loop over the stories. The loop of each story gets all settings, and the
   * rest of the limits after earlier stories. Several agents need a {@linkplain #in work tree}.
   * Closing the loop releases the change.
   *
   * @param agent the agent for all stories; the caller closes the agent
   */
  public Loop.Builder loop(Agent agent) {
    ChangeLoopBuilder builder = ChangeLoop.of(work, agent);
    return worktree == null ? builder : builder.worktree(worktree);
  }

  /**
   * Releases the change without ending the session. Does nothing if another session holds the
   * change.
   *
   * @throws RalphException as {@link dev.ralph.log.FrameLog#append}
   */
  public void leave() {
    work.leave();
  }
}
