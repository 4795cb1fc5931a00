/**
 * Agents that run a command, for {@link dev.ralph.Session#loop}, and the Git work trees and
 * branches for their work.
 */
@NullMarked
package dev.ralph.core;

import org.jspecify.annotations.NullMarked;
