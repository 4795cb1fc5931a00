package dev.ralph.cli.loop;

import dev.ralph.Ralph;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.util.HashMap;
import java.util.Map;

/**
 * Who works in a work tree, one build at a time: two that made it at once would spoil it. The log
 * says which process of each machine was the last to take the tree of that name there; it has it
 * for as long as it lives.
 */
final class TreeHolder {

  private static final Fold<Map<String, ProcessIdentity>, Map<String, ProcessIdentity>> FOLD =
      Fold.of("ralph.worktree", HashMap::new, TreeHolder::apply, Map::copyOf);

  private TreeHolder() {}

  private static void apply(Map<String, ProcessIdentity> holders, Frame frame) {
    ProcessIdentity process = ProcessIdentity.of(frame.meta());
    if (process != null) {
      holders.put(process.host() + " " + process.space(), process);
    }
  }

  /**
   * Takes a work tree for this process.
   *
   * @throws RalphException CONTENDED if another one has it. One that can't be seen from here has
   *     not: it may be gone, and the folder is elsewhere
   */
  static void take(Ralph ralph, String tree) {
    Topic topic = Topic.of("worktree").child(tree);
    ProcessIdentity own = ProcessIdentity.current();
    ralph
        .ledger(topic, FOLD)
        .decide(
            "taking the work tree " + tree,
            (holders, now) -> {
              requireFree(holders, tree);
              return Decision.append(
                  Draft.of(topic, own.in(Meta.of("action", "take"))), after -> true);
            });
  }

  /**
   * Checks that nobody works in a work tree.
   *
   * @throws RalphException CONTENDED if another process does
   */
  static void requireFree(Ralph ralph, String tree) {
    requireFree(ralph.ledger(Topic.of("worktree").child(tree), FOLD).state(), tree);
  }

  private static void requireFree(Map<String, ProcessIdentity> holders, String tree) {
    for (ProcessIdentity each : holders.values()) {
      if (each.isHere() && each.isLive() && !each.isCurrent()) {
        throw RalphException.contended(
            "the work tree "
                + tree
                + " is in use, in process "
                + each.pid()
                + "; wait until that has ended, or work on another session");
      }
    }
  }
}
