package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.provider.Arguments;

/** Checks that methods reject null arguments at the call and name the argument. */
public final class NullArguments {

  private NullArguments() {}

  /**
   * Returns the calls of a type's methods with one forbidden null each: the method, the index of
   * the null argument, and the target.
   *
   * @param target the object to call; null for the static methods of the type
   */
  public static <T> Stream<Arguments> calls(Class<T> type, @Nullable T target) {
    List<Arguments> calls = new ArrayList<>();
    for (Method method : type.getMethods()) {
      for (int i = 0; i < method.getParameterCount(); i++) {
        boolean mayBeNull =
            method.getParameterTypes()[i].isPrimitive()
                || method.getAnnotatedParameterTypes()[i].isAnnotationPresent(Nullable.class);
        boolean isOurs =
            method.getDeclaringClass().getName().startsWith("dev.ralph.")
                && !method.getName().equals("equals");
        if (Modifier.isStatic(method.getModifiers()) == (target == null) && isOurs && !mayBeNull) {
          calls.add(Arguments.of(method, i, target));
        }
      }
    }
    return calls.stream();
  }

  /**
   * Calls a method with one null argument, and checks that the exception names the argument.
   *
   * @param samples a non-null argument for each type; arguments of other types are null
   */
  public static void assertNamed(
      Method method, int index, @Nullable Object target, Map<Class<?>, Object> samples) {
    Object[] arguments =
        Arrays.stream(method.getParameterTypes()).map(samples::get).toArray(Object[]::new);
    arguments[index] = null;

    Throwable thrown = catchThrowable(() -> method.invoke(target, arguments));

    assertThat(thrown).isInstanceOf(InvocationTargetException.class);
    assertThat(thrown.getCause())
        .isInstanceOf(NullPointerException.class)
        .message()
        .as("name of the argument")
        .matches("[a-zA-Z]+");
  }
}
