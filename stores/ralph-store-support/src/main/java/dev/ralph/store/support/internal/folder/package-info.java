/**
 * The folder of a store, and the git repository around it. Begin with {@link
 * dev.ralph.store.support.internal.folder.StoreFolder}, which examines a folder before a store is
 * opened.
 */
@NullMarked
package dev.ralph.store.support.internal.folder;

import org.jspecify.annotations.NullMarked;
