/**
 * The {@code ralph} command. Begin with {@link dev.ralph.cli.Main} and {@link dev.ralph.cli.Cli},
 * which runs a command as a method; {@link dev.ralph.cli.Commands} lists all commands, {@link
 * dev.ralph.cli.Help} and {@link dev.ralph.cli.ShellCompletion} derive their answers from the
 * syntax of the commands.
 */
@NullMarked
package dev.ralph.cli;

import org.jspecify.annotations.NullMarked;
