/** The commands that show how a session stands, and that steer it. */
@ParametersAreNonnullByDefault
package dev.ralph.cli.session;

import javax.annotation.ParametersAreNonnullByDefault;
