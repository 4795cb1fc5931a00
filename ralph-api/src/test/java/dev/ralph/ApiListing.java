package dev.ralph;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedTypeVariable;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.TypeVariable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lists the public and protected members of the packages that a module exports to all modules. Each
 * member has a line of its own, so a change of the API is visible in a comparison of two listings.
 *
 * <p>A type is printed with its binary name without the package. The listing omits the members of
 * {@link Object}, and for enums and records the members that the language declares.
 */
final class ApiListing {
  private static final Set<String> OF_OBJECT =
      Set.of("equals(Object)", "hashCode()", "toString()", "values()", "valueOf(String)");

  private ApiListing() {}

  /**
   * Returns the lines of the listing.
   *
   * @param module the jar or class folder of the module
   */
  static List<String> of(Path module) throws IOException {
    ModuleReference reference = ModuleFinder.of(module).findAll().iterator().next();
    Set<String> exported =
        reference.descriptor().exports().stream()
            .filter(each -> !each.isQualified())
            .map(ModuleDescriptor.Exports::source)
            .collect(Collectors.toSet());
    TreeMap<String, Class<?>> types = new TreeMap<>();
    try (ModuleReader reader = reference.open();
        Stream<String> names = reader.list()) {
      names
          .filter(name -> name.endsWith(".class") && name.contains("/"))
          .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.'))
          .filter(name -> exported.contains(name.substring(0, name.lastIndexOf('.'))))
          .filter(name -> !name.endsWith(".package-info"))
          .forEach(name -> types.put(name.replace('$', ' '), load(name)));
    }
    List<String> lines = new ArrayList<>();
    types.values().stream().filter(ApiListing::isVisible).forEach(type -> addLines(type, lines));
    return lines;
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name, false, ApiListing.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("no class " + name + " on the class path", e);
    }
  }

  private static boolean isVisible(Class<?> type) {
    Class<?> outer = type.getDeclaringClass();
    return isVisible(type.getModifiers())
        && !type.isAnonymousClass()
        && !type.isLocalClass()
        && (outer == null || isVisible(outer));
  }

  private static boolean isVisible(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }

  private static void addLines(Class<?> type, List<String> lines) {
    lines.add(type.getPackageName() + "." + declaration(type));
    String indent = "  ";
    if (type.isEnum()) {
      Stream.of(type.getEnumConstants())
          .map(each -> ((Enum<?>) each).name())
          .forEach(name -> lines.add(indent + name));
    }
    Stream.of(type.getDeclaredFields())
        .filter(field -> isVisible(field.getModifiers()) && !field.isEnumConstant())
        .filter(field -> !field.isSynthetic())
        .map(ApiListing::line)
        .sorted()
        .forEach(line -> lines.add(indent + line));
    Stream.of(type.getDeclaredConstructors())
        .filter(each -> isVisible(each.getModifiers()) && !each.isSynthetic())
        .filter(each -> !isCanonical(each))
        .map(ApiListing::line)
        .sorted()
        .forEach(line -> lines.add(indent + line));
    methods(type)
        .filter(method -> isVisible(method.getModifiers()) && !method.isSynthetic())
        .filter(method -> !OF_OBJECT.contains(signature(method)) && !isAccessor(method))
        .sorted(Comparator.comparing(ApiListing::signature))
        .map(ApiListing::line)
        .distinct()
        .forEach(line -> lines.add(indent + line));
  }

  /** Returns the methods that a type declares or inherits from classes that are not public. */
  private static Stream<Method> methods(Class<?> type) {
    Stream<Method> own = Stream.of(type.getDeclaredMethods());
    Stream<Method> inherited =
        Stream.concat(Stream.ofNullable(type.getSuperclass()), Stream.of(type.getInterfaces()))
            .filter(each -> each.getPackage() == type.getPackage() && !isVisible(each))
            .flatMap(ApiListing::methods);
    return Stream.concat(own, inherited);
  }

  private static boolean isCanonical(Constructor<?> constructor) {
    Class<?> type = constructor.getDeclaringClass();
    return type.isRecord()
        && Arrays.equals(
            constructor.getParameterTypes(),
            Stream.of(type.getRecordComponents()).map(each -> each.getType()).toArray());
  }

  private static boolean isAccessor(Method method) {
    Class<?> type = method.getDeclaringClass();
    return type.isRecord()
        && Stream.of(type.getRecordComponents())
            .anyMatch(each -> each.getAccessor().equals(method));
  }

  // ---- lines

  private static String declaration(Class<?> type) {
    String kind =
        type.isAnnotation()
            ? "@interface"
            : type.isInterface()
                ? "interface"
                : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
    StringBuilder line = new StringBuilder(name(type)).append(": ");
    if (!type.isEnum() && !type.isRecord() && !type.isInterface()) {
      line.append(modifiers(type.getModifiers() & (Modifier.ABSTRACT | Modifier.FINAL)));
    }
    line.append(type.isSealed() ? "sealed " : "").append(kind);
    if (type.getTypeParameters().length > 0) {
      line.append(' ').append(parameters(type.getTypeParameters()).trim());
    }
    if (type.isRecord()) {
      line.append(
          Stream.of(type.getRecordComponents())
              .map(each -> text(each.getAnnotatedType()) + " " + each.getName())
              .collect(joining(", ", " (", ")")));
    }
    Class<?> above = type.getSuperclass();
    if (above != null
        && above != Object.class
        && isVisible(above)
        && !type.isEnum()
        && !type.isRecord()) {
      line.append(" extends ").append(text(type.getAnnotatedSuperclass()));
    }
    String interfaces =
        Stream.of(type.getAnnotatedInterfaces())
            .map(ApiListing::text)
            .sorted()
            .collect(joining(", "));
    if (!interfaces.isEmpty()) {
      line.append(type.isInterface() ? " extends " : " implements ").append(interfaces);
    }
    return line.toString();
  }

  private static String line(Field field) {
    return modifiers(field.getModifiers()) + text(field.getAnnotatedType()) + " " + field.getName();
  }

  private static String line(Constructor<?> constructor) {
    return modifiers(constructor.getModifiers()) + "new " + arguments(constructor);
  }

  private static String line(Method method) {
    int hidden = Modifier.isFinal(method.getDeclaringClass().getModifiers()) ? Modifier.FINAL : 0;
    int visible = method.getModifiers() & ~hidden;
    boolean isContract = method.getDeclaringClass().isInterface();
    return (method.isDefault() ? "default " : "")
        + modifiers(isContract ? visible & Modifier.STATIC : visible)
        + parameters(method.getTypeParameters())
        + text(method.getAnnotatedReturnType())
        + " "
        + method.getName()
        + arguments(method);
  }

  private static String arguments(Executable member) {
    String thrown =
        Stream.of(member.getExceptionTypes())
            .filter(each -> !RuntimeException.class.isAssignableFrom(each))
            .map(ApiListing::name)
            .sorted()
            .collect(joining(", "));
    String arguments = list(member.getAnnotatedParameterTypes(), ", ");
    if (member.isVarArgs()) {
      arguments = arguments.substring(0, arguments.length() - "[]".length()) + "...";
    }
    return "(" + arguments + ")" + (thrown.isEmpty() ? "" : " throws " + thrown);
  }

  private static String signature(Method method) {
    return Stream.of(method.getParameterTypes())
        .map(ApiListing::name)
        .collect(joining(",", method.getName() + "(", ")"));
  }

  /** Returns the modifiers that concern users, each with a blank behind. */
  private static String modifiers(int modifiers) {
    int shown = Modifier.PROTECTED | Modifier.STATIC | Modifier.ABSTRACT | Modifier.FINAL;
    String text = Modifier.toString(modifiers & shown);
    return text.isEmpty() ? "" : text + " ";
  }

  private static String parameters(TypeVariable<?>[] variables) {
    Function<TypeVariable<?>, String> text =
        each -> {
          String bounds =
              Stream.of(each.getAnnotatedBounds())
                  .map(ApiListing::text)
                  .filter(bound -> !bound.equals("Object"))
                  .collect(joining(" & "));
          return each.getName() + (bounds.isEmpty() ? "" : " extends " + bounds);
        };
    return variables.length == 0
        ? ""
        : Stream.of(variables).map(text).collect(joining(", ", "<", "> "));
  }

  // ---- types

  /** Returns the name of a type without its package, such as {@code Batch.Condition}. */
  private static String name(Class<?> type) {
    Class<?> outer = type.getDeclaringClass();
    return (outer == null ? "" : name(outer) + ".") + type.getSimpleName();
  }

  private static String list(AnnotatedType[] types, String separator) {
    return Stream.of(types).map(ApiListing::text).collect(joining(separator));
  }

  private static String text(AnnotatedType type) {
    String nullness = mark(type);
    if (type instanceof AnnotatedArrayType) {
      AnnotatedType item = ((AnnotatedArrayType) type).getAnnotatedGenericComponentType();
      return text(item) + (nullness.isEmpty() ? "" : " " + nullness) + "[]";
    }
    if (type instanceof AnnotatedTypeVariable) {
      return nullness + type.getType().getTypeName();
    }
    if (type instanceof AnnotatedWildcardType) {
      return nullness + wildcard((AnnotatedWildcardType) type);
    }
    if (type instanceof AnnotatedParameterizedType) {
      AnnotatedParameterizedType whole = (AnnotatedParameterizedType) type;
      Class<?> raw = (Class<?>) ((ParameterizedType) whole.getType()).getRawType();
      return nullness + name(raw) + "<" + list(whole.getAnnotatedActualTypeArguments(), ", ") + ">";
    }
    return nullness + name((Class<?>) type.getType());
  }

  private static String wildcard(AnnotatedWildcardType type) {
    if (type.getAnnotatedLowerBounds().length > 0) {
      return "? super " + list(type.getAnnotatedLowerBounds(), " & ");
    }
    String bounds = list(type.getAnnotatedUpperBounds(), " & ");
    return bounds.isEmpty() || bounds.equals("Object") ? "?" : "? extends " + bounds;
  }

  private static String mark(AnnotatedElement type) {
    return type.isAnnotationPresent(Nullable.class) ? "@Nullable " : "";
  }
}
