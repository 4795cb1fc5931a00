/**
 * The flat JSONL store: one JSON object a line, readable with {@code tail} and {@code jq}, safe
 * under many processes. Only {@link dev.ralph.store.file.FileStoreProvider} is for users.
 */
@NullMarked
package dev.ralph.store.file;

import org.jspecify.annotations.NullMarked;
