/**
 * Messages of TX: Markdown files with YAML front matter, as its documentation describes them.
 *
 * <p>{@link dev.ralph.mail.tx.TxWriter} writes them complete and in TX's words; {@link
 * dev.ralph.mail.tx.TxReader} reads whatever agents, people and older versions have written, with
 * warnings. {@link dev.ralph.mail.tx.TxTexts} tells a file that was renamed from a second text
 * under the same id. {@link dev.ralph.mail.tx.TxRoutings} says whether an agent may write to
 * another, in TX's words, and {@link dev.ralph.mail.tx.TxIterations} when a thread goes round too
 * often. Nothing here watches a folder or delivers anything.
 *
 * <p>YAML is read by snakeyaml-engine, which no other part of Ralph needs. So this module declares
 * it as optional: a program that reads TX's messages adds {@code org.snakeyaml:snakeyaml-engine} to
 * its dependencies and, if it is a module, requires {@code org.snakeyaml.engine}.
 */
@NullMarked
package dev.ralph.mail.tx;

import org.jspecify.annotations.NullMarked;
