/** Hosts: programs that take sessions from a shared log and run their loops. */
@NullMarked
package dev.ralph.core.host;

import org.jspecify.annotations.NullMarked;
