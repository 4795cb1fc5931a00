/** The tools that an agent works on a session with. */
@NullMarked
package dev.ralph.core.internal.tool;

import org.jspecify.annotations.NullMarked;
