/**
 * The notes of a session. Begin with {@link dev.ralph.core.internal.note.NoteFold}, which lists the
 * frames, then read {@link dev.ralph.core.internal.note.NoteDecider} for the rules.
 */
@NullMarked
package dev.ralph.core.internal.note;

import org.jspecify.annotations.NullMarked;
