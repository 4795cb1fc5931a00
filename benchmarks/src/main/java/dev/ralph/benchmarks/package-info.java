/** Benchmarks, each beside its baseline. */
@ParametersAreNonnullByDefault
package dev.ralph.benchmarks;

import javax.annotation.ParametersAreNonnullByDefault;
