/** Benchmarks with baselines. */
@NullMarked
package dev.ralph.benchmarks;

import org.jspecify.annotations.NullMarked;
