package dev.ralph.core;

import dev.ralph.core.internal.commit.CommitTitle;
import dev.ralph.log.RalphException;
import org.jspecify.annotations.Nullable;

/**
 * Options for commits.
 *
 * @param hooks whether to run the repository's hooks {@code pre-commit} and {@code commit-msg}, as
 *     of the beginning of the run; no other hook ever runs
 * @param title the template of a commit's first line, such as <code>feat: {title} ({task})</code>;
 *     null for the title alone. The template contains <code>{title}</code>, or <code>{lower-title}
 *     </code> for a title with a lower-case first letter. <code>{task}</code> is optional: the
 *     task's number such as {@code t4}, or the session's name for a commit without a task
 */
public record CommitOptions(boolean hooks, @Nullable String title) {

  /** Runs hooks, and keeps titles unchanged. */
  public static final CommitOptions DEFAULT = new CommitOptions(true, null);

  /** Runs no hook, and keeps titles unchanged. */
  public static final CommitOptions NO_HOOKS = new CommitOptions(false, null);

  /**
   * Creates options.
   *
   * @throws RalphException INVALID if the template has no title, an unknown placeholder, or more
   *     than one line
   */
  public CommitOptions {
    if (title != null) {
      CommitTitle.requireTemplate(title);
    }
  }
}
