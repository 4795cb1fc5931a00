/**
 * Where the agents of a loop work side by side, and how what they have done comes together: on
 * branches of a Git repository, or in one folder that all share.
 */
@NullMarked
package dev.ralph.core.internal.workspace;

import org.jspecify.annotations.NullMarked;
