package dev.ralph.tck;

import dev.ralph.log.StoreInfo.Capability;
import java.lang.reflect.Method;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Runs a test if the store declares the needed capabilities, and {@link MissingCapability}
 * otherwise. So no test is skipped without a check.
 */
final class CapabilityGate implements InvocationInterceptor {

  private static final Namespace ABSENT = Namespace.create(CapabilityGate.class);

  @Override
  public void interceptTestMethod(
      Invocation<Void> test, ReflectiveInvocationContext<Method> method, ExtensionContext context)
      throws Throwable {
    StoreConformance suite = (StoreConformance) context.getRequiredTestInstance();
    Set<Capability> absent = required(context);
    absent.removeAll(suite.fixture().capabilities());
    if (absent.isEmpty()) {
      test.proceed();
      return;
    }
    test.skip();
    for (Capability capability : absent) {
      // Once per run is enough, because the check may start another process.
      Object seen =
          context
              .getRoot()
              .getStore(ABSENT)
              .computeIfAbsent(
                  suite.fixture().provider().name() + " " + capability,
                  key -> new MissingCapability(suite).check(capability));
      suite.report("not given: " + capability + "; checked instead: " + seen);
    }
  }

  private static Set<Capability> required(ExtensionContext context) {
    Set<Capability> required = EnumSet.noneOf(Capability.class);
    AnnotationSupport.findAnnotation(context.getRequiredTestClass(), Requires.class)
        .ifPresent(suite -> required.addAll(Set.of(suite.value())));
    AnnotationSupport.findAnnotation(context.getRequiredTestMethod(), Requires.class)
        .ifPresent(test -> required.addAll(Set.of(test.value())));
    return required;
  }
}
