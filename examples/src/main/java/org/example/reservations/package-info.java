/** An example domain, built on the library's public API. */
@NullMarked
package org.example.reservations;

import org.jspecify.annotations.NullMarked;
