/**
 * Creates commits: runs hooks, renders titles and signs. Begin with {@link
 * dev.ralph.core.internal.commit.CommitHooks}, which holds the hooks as of the start of a run;
 * {@link dev.ralph.core.internal.commit.CommitTitle} and {@link
 * dev.ralph.core.internal.commit.CommitMessages} create the message, {@link
 * dev.ralph.core.internal.commit.CommitSigning} tests whether signing works.
 */
@NullMarked
package dev.ralph.core.internal.commit;

import org.jspecify.annotations.NullMarked;
