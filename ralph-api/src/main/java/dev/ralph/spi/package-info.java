/**
 * Interfaces and parts of storage backends. Read {@link dev.ralph.spi.FrameStoreProvider}, {@link
 * dev.ralph.spi.FrameStore} with {@link dev.ralph.log.FrameLog}, {@link dev.ralph.spi.Followers}
 * and {@link dev.ralph.spi.Scru128} in this order. The module {@code ralph-tck} tests a backend.
 * Programs that only use the library need none of them.
 */
@NullMarked
package dev.ralph.spi;

import org.jspecify.annotations.NullMarked;
