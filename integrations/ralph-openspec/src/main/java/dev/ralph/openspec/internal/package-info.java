/** The check commands of a project. Not for embedders. */
@NullMarked
package dev.ralph.openspec.internal;

import org.jspecify.annotations.NullMarked;
