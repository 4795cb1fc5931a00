/** Main classes to run and copy. */
@ParametersAreNonnullByDefault
package dev.ralph.examples;

import javax.annotation.ParametersAreNonnullByDefault;
