/**
 * What a host program sees: frames and folds, the typed views of a session, agents and the loop.
 *
 * <p>Every type here is safe for use by several threads unless it says otherwise, no parameter or
 * result is null unless it is marked {@code @Nullable}, and every failure is a {@link
 * dev.ralph.log.RalphException} with a stable code.
 *
 * <p>The whole API is there since version 0.1, except for what names a later one.
 */
@NullMarked
package dev.ralph;

import org.jspecify.annotations.NullMarked;
