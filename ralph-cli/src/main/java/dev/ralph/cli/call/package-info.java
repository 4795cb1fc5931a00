/** What every command stands on: its call, its surroundings, and the store that it works on. */
@ParametersAreNonnullByDefault
package dev.ralph.cli.call;

import javax.annotation.ParametersAreNonnullByDefault;
