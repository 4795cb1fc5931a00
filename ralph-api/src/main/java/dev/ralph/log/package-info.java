/**
 * The log: frames and topics, how they are appended, read and followed, and the states that are
 * folded from them and decided on.
 */
@NullMarked
package dev.ralph.log;

import org.jspecify.annotations.NullMarked;
