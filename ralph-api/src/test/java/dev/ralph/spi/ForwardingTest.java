package dev.ralph.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.internal.ForwardingCursor;
import dev.ralph.internal.ForwardingFollower;
import dev.ralph.internal.ForwardingFrame;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ForwardingTest {

  private static final Map<Class<?>, Object> NOTHING =
      Map.of(boolean.class, false, int.class, 0, long.class, 0L);

  static Stream<Method> methods() {
    return Stream.of(FrameStore.class, FrameCursor.class, Follower.class, Frame.class)
        .flatMap(type -> Stream.of(type.getMethods()))
        .filter(method -> !Modifier.isStatic(method.getModifiers()));
  }

  /** A missing method would run the interface's default, which bypasses the wrapped object. */
  @ParameterizedTest
  @MethodSource("methods")
  void everyMethod_isForwarded(Method method) throws ReflectiveOperationException {
    List<Method> called = new ArrayList<>();

    method.invoke(wrapping(method, called), new Object[method.getParameterCount()]);

    assertThat(called).containsExactly(method);
  }

  private static Object wrapping(Method method, List<Method> called) {
    if (method.getDeclaringClass() == FrameCursor.class) {
      return new ForwardingCursor(noting(FrameCursor.class, called)) {};
    }
    if (method.getDeclaringClass() == Follower.class) {
      return new ForwardingFollower(noting(Follower.class, called)) {};
    }
    if (method.getDeclaringClass() == Frame.class) {
      return new ForwardingFrame(noting(Frame.class, called)) {};
    }
    return new ForwardingStore(noting(FrameStore.class, called)) {};
  }

  private static <T> T noting(Class<T> type, List<Method> called) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, reached, arguments) -> {
              called.add(reached);
              return NOTHING.get(reached.getReturnType());
            }));
  }
}
