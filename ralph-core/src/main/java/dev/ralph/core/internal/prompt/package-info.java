/** What an agent is told: a template, filled with the state of its session. */
@ParametersAreNonnullByDefault
package dev.ralph.core.internal.prompt;

import javax.annotation.ParametersAreNonnullByDefault;
