/**
 * How an agent reaches its session: the commands or tools it is told of, and what the program that
 * answers them needs. A host that runs an agent by a lambda needs none of it.
 */
@ParametersAreNonnullByDefault
package dev.ralph.tool;

import javax.annotation.ParametersAreNonnullByDefault;
