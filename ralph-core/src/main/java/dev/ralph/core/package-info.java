/** Where a host program begins: {@link dev.ralph.core.Ralph}. */
@ParametersAreNonnullByDefault
package dev.ralph.core;

import javax.annotation.ParametersAreNonnullByDefault;
