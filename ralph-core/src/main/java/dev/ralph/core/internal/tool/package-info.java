/** The tools with which an agent works on a session. */
@NullMarked
package dev.ralph.core.internal.tool;

import org.jspecify.annotations.NullMarked;
