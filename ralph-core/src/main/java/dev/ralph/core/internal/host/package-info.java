/** Which process of which machine said something. */
@NullMarked
package dev.ralph.core.internal.host;

import org.jspecify.annotations.NullMarked;
