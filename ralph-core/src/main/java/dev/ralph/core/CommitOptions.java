package dev.ralph.core;

import dev.ralph.core.internal.commit.CommitTitle;
import dev.ralph.log.RalphException;
import org.jspecify.annotations.Nullable;

/**
 * How commits are made.
 *
 * @param hooks whether the repository's hooks {@code pre-commit} and {@code commit-msg} run, as
 *     they were when the run began; no other hook ever runs
 * @param title the template of a commit's first line, such as <code>feat: {title} ({task})</code>;
 *     null for the title alone. It holds <code>{title}</code>, or <code>{lower-title}</code>, which
 *     begins with a small letter, and may hold <code>{task}</code>: the task's number such as
 *     {@code t4}, or the session's name where a commit belongs to no task
 */
public record CommitOptions(boolean hooks, @Nullable String title) {

  /** Hooks run, and titles are as they are. */
  public static final CommitOptions DEFAULT = new CommitOptions(true, null);

  /** No hook runs, and titles are as they are. */
  public static final CommitOptions NO_HOOKS = new CommitOptions(false, null);

  /**
   * Makes options.
   *
   * @throws RalphException INVALID if the template has no title, a placeholder that is not known,
   *     or more than one line
   */
  public CommitOptions {
    if (title != null) {
      CommitTitle.requireTemplate(title);
    }
  }
}
