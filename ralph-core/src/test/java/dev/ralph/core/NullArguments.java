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

/** The check that a null which no method takes is named at the call that got it. */
public final class NullArguments {

  private NullArguments() {}

  /**
   * Returns the calls of a type's methods with one null: the method, the number of the argument
   * that is null, and the target.
   *
   * @param target whose methods are called; null for the static ones of the type
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
   * Makes such a call, and checks that it fails and says which argument is null.
   *
   * @param samples of each type an argument that is not null; a type without one is given null as
   *     well
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
        .as("the argument's name")
        .matches("[a-zA-Z]+");
  }
}
