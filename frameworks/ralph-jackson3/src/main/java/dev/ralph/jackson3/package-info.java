/** Codecs of step results, frame contents and fold states by Jackson 3. */
@NullMarked
package dev.ralph.jackson3;

import org.jspecify.annotations.NullMarked;
