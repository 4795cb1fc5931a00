/**
 * For a host's own tests of its harness: no model, no process, no waiting. Works with any test
 * framework.
 */
@ParametersAreNonnullByDefault
package dev.ralph.test;

import javax.annotation.ParametersAreNonnullByDefault;
