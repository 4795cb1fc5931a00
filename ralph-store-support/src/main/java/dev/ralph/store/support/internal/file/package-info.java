/** Which file it is, who changed a folder, and since when the machine runs. */
@NullMarked
package dev.ralph.store.support.internal.file;

import org.jspecify.annotations.NullMarked;
