/**
 * How an agent reaches its session: the commands or tools it is told of, how their server is
 * started, and the same tools for an agent in this program.
 */
@NullMarked
package dev.ralph.tool;

import org.jspecify.annotations.NullMarked;
