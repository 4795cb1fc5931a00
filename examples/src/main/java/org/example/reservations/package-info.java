/** A domain of its own on the log: what any program can build on the library's public API. */
@NullMarked
package org.example.reservations;

import org.jspecify.annotations.NullMarked;
