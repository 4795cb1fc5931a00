/** A session: the views of its topics, put together. */
@NullMarked
package dev.ralph.core.internal.session;

import org.jspecify.annotations.NullMarked;
