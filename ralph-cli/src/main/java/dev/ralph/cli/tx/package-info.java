/**
 * The commands for messages of TX. Begin with {@link dev.ralph.cli.tx.TxCall}, which resolves
 * folder, store and caller, then read {@link dev.ralph.cli.tx.TxForm} for the answers.
 */
@NullMarked
package dev.ralph.cli.tx;

import org.jspecify.annotations.NullMarked;
