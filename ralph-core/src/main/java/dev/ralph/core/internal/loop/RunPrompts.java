package dev.ralph.core.internal.loop;

import dev.ralph.core.internal.prompt.TeamContext;
import org.jspecify.annotations.Nullable;

/** The roles of a run's iterations and their prompts. */
final class RunPrompts {

  private final LoopSession session;
  private final Roles roles;
  private final Endings endings;

  RunPrompts(LoopSession session, Roles roles, Endings endings) {
    this.session = session;
    this.roles = roles;
    this.endings = endings;
  }

  Roles roles() {
    return roles;
  }

  /** Returns the role of the next iteration as of the last look. */
  LoopRole next() {
    return roles.next(session.seen());
  }

  /**
   * Renders the prompt of an iteration as of the last look.
   *
   * @param team the agent's assignment; null if it is the loop's only agent
   */
  String render(LoopRole role, int iteration, @Nullable TeamContext team) {
    return role.prompt()
        .render(
            session.seen(),
            iteration,
            session.present().log().clock().instant(),
            endings.completion().refusedFor(),
            endings.progress().warning(),
            team);
  }
}
