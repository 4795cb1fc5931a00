/**
 * Names and checks of installed clients, shared with the command. Begin with {@link
 * dev.ralph.agents.internal.ClientCheck}.
 */
@NullMarked
package dev.ralph.agents.internal;

import org.jspecify.annotations.NullMarked;
