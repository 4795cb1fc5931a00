/** What a storage backend implements. A host program needs none of it. */
@ParametersAreNonnullByDefault
package dev.ralph.spi;

import javax.annotation.ParametersAreNonnullByDefault;
