/** The notes of a session. */
@ParametersAreNonnullByDefault
package dev.ralph.core.internal.note;

import javax.annotation.ParametersAreNonnullByDefault;
