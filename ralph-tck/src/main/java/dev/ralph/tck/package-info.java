/**
 * The contract of a {@link dev.ralph.spi.FrameStore} as JUnit classes. A backend proves itself with
 * one {@link dev.ralph.tck.StoreFixture} and one class that extends {@link
 * dev.ralph.tck.FrameStoreConformance}.
 */
@ParametersAreNonnullByDefault
package dev.ralph.tck;

import javax.annotation.ParametersAreNonnullByDefault;
