/**
 * Messages on the log, which the inbox of a session and the boxes of the mail are both made of:
 * what their frames mean, and the rules for sending, receiving and settling them.
 */
@NullMarked
package dev.ralph.core.internal.message;

import org.jspecify.annotations.NullMarked;
