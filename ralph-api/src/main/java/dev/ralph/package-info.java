/**
 * The API for host programs: sessions with tasks, notes and messages, agents, gates and loops. Read
 * {@link dev.ralph.Ralph}, {@link dev.ralph.Session}, {@link dev.ralph.Loop.Builder}, {@link
 * dev.ralph.Agent} and {@link dev.ralph.Turn} in this order. A running program also needs the
 * module {@code ralph-core} and the module of its store, such as {@code ralph-store-file}.
 *
 * <p>All types are safe for use by many threads unless their documentation says otherwise.
 * Parameters and results are never null unless they are marked {@code @Nullable}. Every failure is
 * a {@link dev.ralph.log.RalphException} with a stable code.
 *
 * <p>All types exist since version 0.1 unless their documentation names a later version.
 */
@NullMarked
package dev.ralph;

import org.jspecify.annotations.NullMarked;
