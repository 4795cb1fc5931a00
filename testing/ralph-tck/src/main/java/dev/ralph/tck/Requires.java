package dev.ralph.tck;

import dev.ralph.log.StoreInfo.Capability;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The capabilities that a test, or each test of a suite, needs. For stores without them {@link
 * MissingCapability} runs instead.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@interface Requires {

  /** The capabilities that the store must declare. */
  Capability[] value();
}
