/** The notes of a session. */
@NullMarked
package dev.ralph.core.internal.note;

import org.jspecify.annotations.NullMarked;
