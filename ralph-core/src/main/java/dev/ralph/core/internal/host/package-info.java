/** Which process of which machine said something. */
@ParametersAreNonnullByDefault
package dev.ralph.core.internal.host;

import javax.annotation.ParametersAreNonnullByDefault;
