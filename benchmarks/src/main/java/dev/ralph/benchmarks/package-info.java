/** Benchmarks, each beside its baseline. */
@NullMarked
package dev.ralph.benchmarks;

import org.jspecify.annotations.NullMarked;
