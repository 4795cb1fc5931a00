/**
 * Benchmarks with baselines. Begin with {@link dev.ralph.benchmarks.Benchmarks}, which runs all of
 * them and prints a table; {@link dev.ralph.benchmarks.BeforeAndAfter} compares two versions.
 */
@NullMarked
package dev.ralph.benchmarks;

import org.jspecify.annotations.NullMarked;
