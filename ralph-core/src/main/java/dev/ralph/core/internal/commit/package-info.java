/** How commits are made: the hooks that run, the title, and the signature. */
@NullMarked
package dev.ralph.core.internal.commit;

import org.jspecify.annotations.NullMarked;
