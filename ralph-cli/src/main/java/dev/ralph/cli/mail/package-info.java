/** The commands for mail between agents, programs and people. */
@NullMarked
package dev.ralph.cli.mail;

import org.jspecify.annotations.NullMarked;
