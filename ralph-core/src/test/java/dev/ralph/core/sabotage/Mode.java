package dev.ralph.core.sabotage;

/** The ways in which a build works on the user's repository. */
enum Mode {
  /** Two agents at once, each in a work tree of its own. */
  AGENTS,
  /** One agent in a work tree, as with {@code --worktree}. */
  WORKTREE,
  /** One agent on a host, which has a clone of the user's repository. */
  HOST
}
