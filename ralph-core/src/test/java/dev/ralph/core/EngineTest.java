package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Engine;
import dev.ralph.Ralph;
import dev.ralph.core.internal.engine.CoreEngine;
import dev.ralph.store.memory.MemoryStoreProvider;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lookup of the engine and of the store providers. */
class EngineTest {

  /** A service lookup in all JARs would take a fifth of a short program's run time. */
  @Test
  void givenEngineAndProviders_needNoServiceLookup() throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (Deaf deaf = new Deaf(before)) {
      thread.setContextClassLoader(deaf);
      Ralph.builder()
          .engine(new CoreEngine())
          .providers(List.of(new MemoryStoreProvider()))
          .store("memory")
          .open()
          .close();
      assertThat(deaf.wasAsked).as("service lookup").isFalse();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  @Test
  void engine_isFoundAsAService() {
    assertThat(Engine.installed()).isInstanceOf(CoreEngine.class);
  }

  @Test
  void foreignLibraryInContextLoader_isIgnored() throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    URL[] copy = {locationOf(Ralph.class), locationOf(MemoryStoreProvider.class)};
    try (URLClassLoader another = new URLClassLoader(copy, ClassLoader.getPlatformClassLoader())) {
      thread.setContextClassLoader(another);
      Ralph.inMemory().close();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static URL locationOf(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }

  /** A class loader that finds no services and records lookups of services. */
  private static final class Deaf extends URLClassLoader {
    private boolean wasAsked;

    Deaf(ClassLoader parent) {
      super(new URL[0], parent);
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
      wasAsked = wasAsked || name.startsWith("META-INF/services/");
      return name.startsWith("META-INF/services/")
          ? Collections.emptyEnumeration()
          : super.getResources(name);
    }
  }
}
