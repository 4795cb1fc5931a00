/**
 * What a domain of your own on the log needs besides a fold and a decider: numbered things that are
 * referred to as {@code t12}, texts that stay in the log, leases, times in meta data, and the
 * encoding of snapshots.
 */
@NullMarked
package dev.ralph.domain;

import org.jspecify.annotations.NullMarked;
