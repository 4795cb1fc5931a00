/** Text that people type at the command, and text that it shows them. */
@ParametersAreNonnullByDefault
package dev.ralph.cli.text;

import javax.annotation.ParametersAreNonnullByDefault;
