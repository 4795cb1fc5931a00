/** Agents that write to each other. */
@NullMarked
package dev.ralph.examples.mail;

import org.jspecify.annotations.NullMarked;
