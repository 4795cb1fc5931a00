/**
 * Moves logs between stores of any kind. {@link dev.ralph.transfer.internal.LogExport} writes a log
 * to a file of JSON lines; {@link dev.ralph.transfer.internal.LogImport} reads this file, or an
 * export of ralph.nu's store.
 */
@NullMarked
package dev.ralph.transfer.internal;

import org.jspecify.annotations.NullMarked;
