/** Creates commits: runs hooks, renders titles and signs. */
@NullMarked
package dev.ralph.core.internal.commit;

import org.jspecify.annotations.NullMarked;
