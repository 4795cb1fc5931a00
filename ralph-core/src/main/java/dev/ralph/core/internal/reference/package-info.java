/** How the things of a session are numbered and referred to. */
@ParametersAreNonnullByDefault
package dev.ralph.core.internal.reference;

import javax.annotation.ParametersAreNonnullByDefault;
