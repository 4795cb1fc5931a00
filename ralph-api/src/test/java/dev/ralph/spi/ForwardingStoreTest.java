package dev.ralph.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ForwardingStoreTest {

  static Stream<Method> methods() {
    return Stream.of(FrameStore.class.getMethods());
  }

  @ParameterizedTest
  @MethodSource("methods")
  void leavesEveryMethodToTheStoreItWraps(Method method) throws ReflectiveOperationException {
    List<Method> called = new ArrayList<>();
    FrameStore wrapped =
        (FrameStore)
            Proxy.newProxyInstance(
                FrameStore.class.getClassLoader(),
                new Class<?>[] {FrameStore.class},
                (proxy, reached, arguments) -> {
                  called.add(reached);
                  return null;
                });

    method.invoke(new ForwardingStore(wrapped) {}, new Object[method.getParameterCount()]);

    assertThat(called).containsExactly(method);
  }
}
