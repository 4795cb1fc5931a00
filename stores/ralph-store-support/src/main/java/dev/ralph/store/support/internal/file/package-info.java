/** File identities, notifications of changed folders, and the start of the machine. */
@NullMarked
package dev.ralph.store.support.internal.file;

import org.jspecify.annotations.NullMarked;
