/** The folder of a store, and the git repository around it. */
@NullMarked
package dev.ralph.store.support.internal.folder;

import org.jspecify.annotations.NullMarked;
