/** A domain of its own on the log: what any program can build on the library's public API. */
@ParametersAreNonnullByDefault
package org.example.reservations;

import javax.annotation.ParametersAreNonnullByDefault;
