/** The commands that show and change notes. */
@ParametersAreNonnullByDefault
package dev.ralph.cli.note;

import javax.annotation.ParametersAreNonnullByDefault;
