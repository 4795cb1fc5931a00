/** Who is let in. */
@NullMarked
package dev.ralph.web.internal.access;

import org.jspecify.annotations.NullMarked;
