/** Codecs of step results, frame contents and fold states by Jackson 2. */
@NullMarked
package dev.ralph.jackson2;

import org.jspecify.annotations.NullMarked;
