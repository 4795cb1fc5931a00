/** A store's folder: what may be in it, and the git repository around it. */
@NullMarked
package dev.ralph.store.support.internal.folder;

import org.jspecify.annotations.NullMarked;
