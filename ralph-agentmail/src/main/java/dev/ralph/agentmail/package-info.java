/**
 * Mail as AgentMail keeps it: a file of JSON lines for each recipient, shared with its programs,
 * and tmux windows as identities.
 */
@NullMarked
package dev.ralph.agentmail;

import org.jspecify.annotations.NullMarked;
