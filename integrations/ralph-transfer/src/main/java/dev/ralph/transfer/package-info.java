/**
 * Moves logs between stores of any kind. {@link dev.ralph.transfer.LogExport} writes a log to a
 * file of JSON lines; {@link dev.ralph.transfer.LogImport} reads this file, or an export of
 * ralph.nu's store.
 */
@NullMarked
package dev.ralph.transfer;

import org.jspecify.annotations.NullMarked;
