/** Sessions, composed of the views of their topics. */
@NullMarked
package dev.ralph.core.internal.session;

import org.jspecify.annotations.NullMarked;
