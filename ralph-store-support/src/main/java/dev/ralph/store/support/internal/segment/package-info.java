/**
 * A log in segments, as stores on files keep it: readers, appenders and the detection of lost data.
 */
@NullMarked
package dev.ralph.store.support.internal.segment;

import org.jspecify.annotations.NullMarked;
