/**
 * The submodules and other repositories within work trees. {@link
 * dev.ralph.core.internal.git.submodule.NestedRepositories} finds them and their work, {@link
 * dev.ralph.core.internal.git.submodule.SubmoduleCopies} copies commits to the user's checkout, and
 * {@link dev.ralph.core.internal.git.submodule.CheckedOutSubmodules} checks out what Git leaves
 * unchanged.
 */
@NullMarked
package dev.ralph.core.internal.git.submodule;

import org.jspecify.annotations.NullMarked;
