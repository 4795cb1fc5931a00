/**
 * Test support for programs that embed Ralph: no model, no process, no waiting. Works with any test
 * framework.
 */
@NullMarked
package dev.ralph.test;

import org.jspecify.annotations.NullMarked;
