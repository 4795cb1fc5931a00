package dev.ralph;

import dev.ralph.internal.StoreLocation;
import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStoreProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Loads the engine of the library and the providers of stores. */
final class Library {

  private Library() {}

  static Engine engine() {
    for (Engine engine : services(Engine.class, "the library's module ralph-core")) {
      return engine;
    }
    throw RalphException.unsupported(
        "the library's module ralph-core was not found; add ralph-core to the class path or"
            + " module path");
  }

  static String version() {
    try (InputStream in = Library.class.getResourceAsStream("version")) {
      if (in == null) {
        throw new IllegalStateException("missing file version in the library");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("the library's file version can't be read", e);
    }
  }

  static Iterable<FrameStoreProvider> providers() {
    return services(FrameStoreProvider.class, "a provider of stores");
  }

  /** Returns the only provider with a name. */
  static FrameStoreProvider provider(String kind, Iterable<FrameStoreProvider> providers) {
    List<FrameStoreProvider> found = new ArrayList<>();
    List<FrameStoreProvider> named = new ArrayList<>();
    for (FrameStoreProvider provider : providers) {
      found.add(provider);
      if (provider.name().equals(kind)) {
        named.add(provider);
      }
    }
    if (named.size() == 1) {
      return named.get(0);
    }
    throw RalphException.unsupported(
        (named.isEmpty() ? "no" : "more than one")
            + " provider of stores is named "
            + RalphException.quote(kind)
            + "; found "
            + (found.isEmpty()
                ? "none; check the class path for the module of the store"
                : found.stream()
                    .map(provider -> provider.name() + " (" + provider.getClass().getName() + ")")
                    .collect(Collectors.joining(", ")))
            + (named.isEmpty() && !found.isEmpty()
                ? "; add the module of the store; in a single jar, merge META-INF/services"
                : ""));
  }

  /** Rejects a store address passed as a directory, to avoid creating a folder of this name. */
  static void requireNoAddress(Path directory, Iterable<FrameStoreProvider> providers) {
    String text = directory.toString();
    if (!StoreLocation.namesKind(text)) {
      return;
    }
    for (FrameStoreProvider provider : providers) {
      if (text.startsWith(provider.name() + ":")) {
        throw RalphException.invalid(
            RalphException.quote(text)
                + " is the address of a store, not a folder; give it to Ralph.open or"
                + " Ralph.Builder.address as a text");
      }
    }
  }

  /**
   * Returns the services of the context class loader and of the library's class loader. If both
   * have a class of the same name, the service of the context class loader is used.
   */
  private static <T> Collection<T> services(Class<T> type, String what) {
    Map<String, T> found = new LinkedHashMap<>();
    ClassLoader own = Library.class.getClassLoader();
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    try {
      add(type, context, found);
      if (context != own) {
        add(type, own, found);
      }
    } catch (ServiceConfigurationError broken) {
      throw RalphException.unsupported(what + " can't be loaded: " + broken.getMessage(), broken);
    }
    return found.values();
  }

  private static <T> void add(Class<T> type, @Nullable ClassLoader loader, Map<String, T> found) {
    if (loader != null && sees(loader, type)) {
      for (T service : ServiceLoader.load(type, loader)) {
        found.putIfAbsent(service.getClass().getName(), service);
      }
    }
  }

  /** Returns whether a loader sees this copy of the library, and not another copy. */
  private static boolean sees(ClassLoader loader, Class<?> type) {
    try {
      return loader.loadClass(type.getName()) == type;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
