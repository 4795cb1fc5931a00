/**
 * Interfaces that storage backends implement, and base classes for backends. Begin with {@link
 * dev.ralph.spi.FrameStore}. Programs that only use the library need none of them.
 */
@NullMarked
package dev.ralph.spi;

import org.jspecify.annotations.NullMarked;
