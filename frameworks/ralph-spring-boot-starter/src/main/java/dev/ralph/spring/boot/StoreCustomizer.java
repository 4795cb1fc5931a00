package dev.ralph.spring.boot;

import dev.ralph.spi.FrameStore;

/** A bean that wraps the application's store when it is opened. */
@FunctionalInterface
public interface StoreCustomizer {

  /** Returns the store to use instead of the given one. */
  FrameStore customize(FrameStore store);
}
