package dev.ralph.spring.boot;

import dev.ralph.spi.FrameStore;

/** A bean that wraps the store of the application when it is opened. */
@FunctionalInterface
public interface StoreCustomizer {

  /** Returns the store to use in place of another one. */
  FrameStore customize(FrameStore store);
}
