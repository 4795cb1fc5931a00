/** Example programs to run and copy. */
@NullMarked
package dev.ralph.examples;

import org.jspecify.annotations.NullMarked;
