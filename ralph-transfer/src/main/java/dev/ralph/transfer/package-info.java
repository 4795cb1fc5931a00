/**
 * Moves logs between stores of any kind: {@link dev.ralph.transfer.LogExport} writes one to a file
 * of lines, {@link dev.ralph.transfer.LogImport} reads it, or what the store of ralph.nu was
 * exported to.
 */
@NullMarked
package dev.ralph.transfer;

import org.jspecify.annotations.NullMarked;
