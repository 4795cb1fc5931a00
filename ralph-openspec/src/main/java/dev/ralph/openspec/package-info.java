/** Works through an OpenSpec change: {@link dev.ralph.openspec.Change} reads its folder. */
@NullMarked
package dev.ralph.openspec;

import org.jspecify.annotations.NullMarked;
