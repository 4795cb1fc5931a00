/** Examples of agents that exchange mail. */
@NullMarked
package dev.ralph.examples.mail;

import org.jspecify.annotations.NullMarked;
