/** Agents that are any command, for {@link dev.ralph.Session#loop}. */
@NullMarked
package dev.ralph.core;

import org.jspecify.annotations.NullMarked;
