/**
 * The base of all commands. Begin with {@link dev.ralph.cli.call.Command} and its {@link
 * dev.ralph.cli.call.CommandSyntax}, then read {@link dev.ralph.cli.call.Invocation}, which gives a
 * command its arguments, its {@link dev.ralph.cli.call.Environment} and its session, {@link
 * dev.ralph.cli.call.StoreFinder}, which opens the store, and {@link dev.ralph.cli.call.Json} for
 * the envelope of answers.
 */
@NullMarked
package dev.ralph.cli.call;

import org.jspecify.annotations.NullMarked;
