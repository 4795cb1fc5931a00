/**
 * Messages of TX: Markdown files with YAML front matter, in the format of its documentation.
 *
 * <p>{@link dev.ralph.tx.TxFolder} writes complete messages in TX's format, and reads messages by
 * agents, people and older versions, with warnings. {@link dev.ralph.tx.Tx} ingests files and
 * delivers them through mailboxes. {@link dev.ralph.tx.TxView} shows messages without a store, and
 * checks whether the routing of a mesh would let a message pass.
 */
@NullMarked
package dev.ralph.tx;

import org.jspecify.annotations.NullMarked;
