/**
 * Building blocks for domains on the log, in addition to folds and deciders: numbered entries with
 * references such as {@code t12}, long texts that stay in the log, leases, times in metadata, and
 * codecs of snapshots. Begin with {@link dev.ralph.domain.NumberedState}.
 */
@NullMarked
package dev.ralph.domain;

import org.jspecify.annotations.NullMarked;
