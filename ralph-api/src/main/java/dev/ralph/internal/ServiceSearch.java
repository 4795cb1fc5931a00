package dev.ralph.internal;

import dev.ralph.log.RalphException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Finds the services that a program has added to the library. */
public final class ServiceSearch {

  private ServiceSearch() {}

  /**
   * Returns the services of the context class loader and of the library's class loader. If both
   * have a class of the same name, the service of the context class loader is used.
   *
   * @param what names the service in the message of an error
   * @throws RalphException UNSUPPORTED if a service can't be loaded
   */
  public static <T> Collection<T> find(Class<T> type, String what) {
    Map<String, T> found = new LinkedHashMap<>();
    ClassLoader own = ServiceSearch.class.getClassLoader();
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
