/** How long something may be kept from others. */
@ParametersAreNonnullByDefault
package dev.ralph.core.internal.lease;

import javax.annotation.ParametersAreNonnullByDefault;
