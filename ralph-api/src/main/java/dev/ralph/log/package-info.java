/**
 * The log: frames and topics, appending, reading and following them, states folded from frames,
 * decisions on these states, and the exceptions of all operations. The package depends on no other
 * package of the library. Begin with {@link dev.ralph.log.FrameLog}, and for states and decisions
 * with {@link dev.ralph.log.Ledger}.
 */
@NullMarked
package dev.ralph.log;

import org.jspecify.annotations.NullMarked;
