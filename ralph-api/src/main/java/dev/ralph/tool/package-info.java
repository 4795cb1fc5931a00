/**
 * How an agent reaches its session: the commands or tools it is told of, what the program that
 * answers them needs, and the same tools for an agent in this program.
 */
@NullMarked
package dev.ralph.tool;

import org.jspecify.annotations.NullMarked;
