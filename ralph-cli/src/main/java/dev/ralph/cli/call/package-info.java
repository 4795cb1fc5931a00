/** What every command stands on: its call, its surroundings, and the store that it works on. */
@NullMarked
package dev.ralph.cli.call;

import org.jspecify.annotations.NullMarked;
