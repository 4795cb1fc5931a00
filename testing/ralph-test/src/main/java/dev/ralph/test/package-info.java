/**
 * Test support for programs that embed Ralph: no model, no process, no waiting. Works with any test
 * framework. Begin with {@link dev.ralph.test.ScriptedAgent} and {@link dev.ralph.test.TestLoop};
 * {@link dev.ralph.test.ManualClock} replaces the time.
 */
@NullMarked
package dev.ralph.test;

import org.jspecify.annotations.NullMarked;
