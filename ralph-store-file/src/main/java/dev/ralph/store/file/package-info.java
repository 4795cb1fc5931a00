/**
 * A store that keeps its log as one JSON object per line, readable with {@code tail} and {@code
 * jq}. Many processes may use a store at the same time. Users need only {@link
 * dev.ralph.store.file.FileStoreProvider}.
 */
@NullMarked
package dev.ralph.store.file;

import org.jspecify.annotations.NullMarked;
