/**
 * The log: frames and topics, how they are appended, read and followed, the states that are folded
 * from them and decided on, and what goes wrong with them. It stands alone.
 */
@NullMarked
package dev.ralph.log;

import org.jspecify.annotations.NullMarked;
