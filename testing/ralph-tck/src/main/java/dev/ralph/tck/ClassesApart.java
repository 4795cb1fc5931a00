package dev.ralph.tck;

import dev.ralph.spi.StoreConfig;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A second copy of the TCK's and the store's classes, as in another application of the same JVM.
 */
final class ClassesApart implements AutoCloseable {

  private final StoreFixture fixture;
  private final URLClassLoader loader;

  ClassesApart(StoreFixture fixture) throws MalformedURLException {
    this.fixture = fixture;
    List<URL> classes = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      classes.add(Path.of(entry).toUri().toURL());
    }
    this.loader =
        new URLClassLoader(classes.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  /** Opens the store, executes the commands and returns the answers. */
  List<String> use(StoreConfig place, String... commands) {
    String[] args = {fixture.provider().name(), StoreChild.argument(place), "0"};
    List<String> answers = new ArrayList<>();
    try {
      Class<?> child = loader.loadClass(StoreChild.class.getName());
      Object output =
          child
              .getMethod("runHere", String[].class, List.class)
              .invoke(null, args, List.of(commands));
      ((List<?>) output).forEach(line -> answers.add((String) line));
      return answers;
    } catch (InvocationTargetException e) {
      throw new AssertionError("with a separate class loader: " + e.getCause(), e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() throws IOException {
    loader.close();
  }
}
