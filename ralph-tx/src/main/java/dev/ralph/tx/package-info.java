/**
 * Messages of TX: Markdown files with YAML front matter, as its documentation describes them.
 *
 * <p>{@link dev.ralph.tx.TxFolder} writes them complete and in TX's words, and reads whatever
 * agents, people and older versions have written, with warnings. {@link dev.ralph.tx.Tx} takes
 * files up and delivers them by mailboxes; {@link dev.ralph.tx.TxView} looks at them where no store
 * is, and says whether the routing of a mesh would let a message pass.
 */
@NullMarked
package dev.ralph.tx;

import org.jspecify.annotations.NullMarked;
