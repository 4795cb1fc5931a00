package dev.ralph.servlet;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The containers of the tests, with the version of their servlet API. */
enum ContainerKind {
  JETTY_12("6.0"),
  TOMCAT_10("6.0"),
  TOMCAT_11("6.1");

  private final String version;

  ContainerKind(String version) {
    this.version = version;
  }

  String version() {
    return version;
  }

  ServletContainer create() throws Exception {
    return switch (this) {
      case JETTY_12 -> new JettyContainer();
      case TOMCAT_10 -> new TomcatContainer();
      case TOMCAT_11 ->
          (ServletContainer)
              new Tomcat11Loader()
                  .loadClass(TomcatContainer.class.getName())
                  .getDeclaredConstructor()
                  .newInstance();
    };
  }

  /** Loads Tomcat 11, its servlet API and the servlet before the classes of the class path. */
  private static final class Tomcat11Loader extends URLClassLoader {

    Tomcat11Loader() throws Exception {
      super(places(), ContainerKind.class.getClassLoader());
    }

    private static URL[] places() throws Exception {
      List<URL> places = new ArrayList<>();
      try (Stream<Path> jars = Files.list(Path.of("target/tomcat11"))) {
        for (Path jar : jars.toList()) {
          places.add(jar.toUri().toURL());
        }
      }
      for (String place : System.getProperty("java.class.path").split(File.pathSeparator)) {
        if (Files.isDirectory(Path.of(place)) || place.contains("ralph-servlet")) {
          places.add(Path.of(place).toUri().toURL());
        }
      }
      return places.toArray(new URL[0]);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      boolean isOwn =
          Stream.of("org.apache.", "jakarta.servlet.", "dev.ralph.servlet.")
                  .anyMatch(name::startsWith)
              && !name.equals(ServletContainer.class.getName());
      if (!isOwn) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? findClass(name) : loaded;
      }
    }
  }
}
