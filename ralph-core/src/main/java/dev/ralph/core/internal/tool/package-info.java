/**
 * The tools with which an agent works on a session. Begin with {@link
 * dev.ralph.core.internal.tool.SessionTools} and {@link dev.ralph.core.internal.tool.TaskTools},
 * which define the tools, then read {@link dev.ralph.core.internal.tool.OpenTools}, which executes
 * calls.
 */
@NullMarked
package dev.ralph.core.internal.tool;

import org.jspecify.annotations.NullMarked;
