package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import dev.ralph.log.Frame;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.support.StoreLock;
import dev.ralph.store.support.TestFrames;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two applications in one JVM share a store; each has its own copy of the library. */
class ClassLoadersTest {

  private static final int ROUNDS = 300;
  private static final int FRAMES = 2;

  @TempDir Path directory;

  @Test
  void appendsOfClassLoadersAndProcess_allStay() throws Exception {
    try (URLClassLoader one = classesApart();
        URLClassLoader two = classesApart()) {
      List<FutureTask<Void>> running = new ArrayList<>();
      for (ClassLoader loader : List.of(one, two)) {
        FutureTask<Void> task =
            new FutureTask<>(
                () -> {
                  Class<?> appending = loader.loadClass(Appending.class.getName());
                  assertThat(appending).isNotSameAs(Appending.class);
                  appending.getMethod("append", String.class).invoke(null, directory.toString());
                  return null;
                });
        new Thread(task, "appending").start();
        running.add(task);
      }
      ChildJvm.run(Appending.class, directory);
      for (FutureTask<Void> task : running) {
        task.get(2, TimeUnit.MINUTES);
      }
    }
    try (FrameStore store = TestLog.open(directory)) {
      assertThat(TestLog.contents(store)).hasSize(3 * ROUNDS * FRAMES);
      assertThat(store.verify()).isEmpty();
      assertThat(directory.resolve("damaged")).doesNotExist();
    }
  }

  private static URLClassLoader classesApart() {
    List<URL> classes = new ArrayList<>();
    for (Class<?> each :
        List.of(
            Appending.class,
            FileStoreProvider.class,
            StoreLock.class,
            TestFrames.class,
            Frame.class,
            JsonFactory.class)) {
      classes.add(each.getProtectionDomain().getCodeSource().getLocation());
    }
    return new URLClassLoader(classes.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  /** Opens the store, appends and closes it, repeatedly. */
  public static final class Appending {

    private Appending() {}

    public static void main(String[] args) {
      append(args[0]);
    }

    /** Appends to the store in a folder. */
    public static void append(String directory) {
      for (int round = 0; round < ROUNDS; round++) {
        try (FrameStore store = TestLog.open(Path.of(directory))) {
          for (int i = 0; i < FRAMES; i++) {
            TestLog.append(store, TestLog.TOPIC, round + "/" + i);
          }
        }
      }
    }
  }
}
