/** The engine, for programs that name it rather than let it be looked for. */
@NullMarked
package dev.ralph.core.engine;

import org.jspecify.annotations.NullMarked;
