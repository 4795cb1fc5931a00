/** A session: the views of its topics, put together. */
@ParametersAreNonnullByDefault
package dev.ralph.core.internal.session;

import javax.annotation.ParametersAreNonnullByDefault;
