/** A log in segments, as our stores on files keep it: how it is read, appended to and watched. */
@NullMarked
package dev.ralph.store.support.internal.segment;

import org.jspecify.annotations.NullMarked;
