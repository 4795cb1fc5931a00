/** What steers the loop of a session, and which loop that is. */
@ParametersAreNonnullByDefault
package dev.ralph.core.internal.control;

import javax.annotation.ParametersAreNonnullByDefault;
