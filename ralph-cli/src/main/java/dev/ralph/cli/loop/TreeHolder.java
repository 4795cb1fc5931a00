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
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Who works in a work tree, one build at a time: two that made it at once would spoil it. The log
 * says which process was the last to take it; it has it for as long as it lives.
 */
final class TreeHolder {

  private static final Fold<AtomicReference<ProcessIdentity>, Optional<ProcessIdentity>> FOLD =
      Fold.of(
          "ralph.worktree",
          AtomicReference::new,
          TreeHolder::apply,
          last -> Optional.ofNullable(last.get()));

  private TreeHolder() {}

  private static void apply(AtomicReference<ProcessIdentity> last, Frame frame) {
    ProcessIdentity process = ProcessIdentity.of(frame.meta());
    if (process != null) {
      last.set(process);
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
            (holder, now) -> {
              holder
                  .filter(each -> each.isHere() && each.isLive() && !each.isCurrent())
                  .ifPresent(
                      other -> {
                        throw RalphException.contended(
                            "the work tree "
                                + tree
                                + " is in use, in process "
                                + other.pid()
                                + "; wait until that has ended, or work on another session");
                      });
              return Decision.append(
                  Draft.of(topic, own.in(Meta.of("action", "take"))), after -> true);
            });
  }
}
