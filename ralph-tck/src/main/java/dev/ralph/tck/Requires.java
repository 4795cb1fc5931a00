package dev.ralph.tck;

import dev.ralph.log.StoreInfo.Capability;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The capabilities that a test, or each test of a suite, is about. Where the store does not declare
 * one of them, {@link MissingCapability} holds it to what that means instead.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@interface Requires {

  /** What the store must declare for the test to run as it is written. */
  Capability[] value();
}
