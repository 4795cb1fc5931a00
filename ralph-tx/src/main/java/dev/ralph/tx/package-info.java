/**
 * Messages of TX: Markdown files with YAML front matter, as its documentation describes them.
 *
 * <p>{@link dev.ralph.tx.TxWriter} writes them complete and in TX's words; {@link
 * dev.ralph.tx.TxReader} reads whatever agents, people and older versions have written, with
 * warnings. {@link dev.ralph.tx.TxTexts} tells a file that was renamed from a second text under the
 * same id. {@link dev.ralph.tx.TxRoutings} says whether an agent may write to another, in TX's
 * words, and {@link dev.ralph.tx.TxIterations} when a thread goes round too often. {@link
 * dev.ralph.tx.Tx} takes files up and delivers them by mailboxes; {@link dev.ralph.tx.TxView} looks
 * at them where no store is.
 */
@NullMarked
package dev.ralph.tx;

import org.jspecify.annotations.NullMarked;
