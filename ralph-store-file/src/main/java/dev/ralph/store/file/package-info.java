/**
 * The flat JSONL store: one JSON object a line, readable with {@code tail} and {@code jq}, safe
 * under many processes. Only {@link dev.ralph.store.file.FileStoreProvider} is for users.
 */
@ParametersAreNonnullByDefault
package dev.ralph.store.file;

import javax.annotation.ParametersAreNonnullByDefault;
