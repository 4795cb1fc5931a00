/** How stored text is shown to a model: {@link dev.ralph.core.text.Excerpt}. */
@ParametersAreNonnullByDefault
package dev.ralph.core.text;

import javax.annotation.ParametersAreNonnullByDefault;
