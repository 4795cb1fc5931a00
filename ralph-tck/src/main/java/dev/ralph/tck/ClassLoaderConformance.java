package dev.ralph.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Frame;
import dev.ralph.StoreInfo.Capability;
import dev.ralph.spi.FrameStore;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/**
 * Two applications that one JVM hosts, each with a copy of the store's classes, see one and the
 * same log, although neither knows what the other has open.
 */
@Requires({Capability.PERSISTENT, Capability.MULTI_PROCESS})
public abstract class ClassLoaderConformance extends StoreConformance {

  private static final int LOADERS = 2;
  private static final int OPENINGS = 4;

  @Test
  void storesOfTwoClassLoadersAreOneLog() throws Exception {
    FrameStore store = open();
    Set<String> acknowledged = new HashSet<>();
    try (Crew crew = new Crew()) {
      List<FutureTask<List<String>>> others = new ArrayList<>();
      for (int l = 0; l < LOADERS; l++) {
        String command = "append " + OTHER + " 10 3 300";
        others.add(crew.call("loader-" + l, () -> openedApart(List.of(command))));
      }
      ChildProcess process = startChild(0);
      process.done();
      process.send("append " + OTHER + " 40 3 300");
      for (int i = 0; i < 100; i++) {
        String id = newBatchId();
        store.append(NumberedBatch.of(id, TOPIC, 2, 300));
        acknowledged.add(id);
      }
      ProcessConformance.addAcknowledged(acknowledged, process.until("done"));
      crew.join();
      for (FutureTask<List<String>> other : others) {
        assertThat(other.get()).filteredOn(line -> line.startsWith("failed")).isEmpty();
        ProcessConformance.addAcknowledged(acknowledged, other.get());
      }
    }
    assertThat(acknowledged).hasSize(100 + 40 + LOADERS * OPENINGS * 10);
    List<Frame> log = readAll(store);
    assertThat(NumberedBatch.assertWhole(log)).isEqualTo(acknowledged);
    assertInOrder(log);
    assertIdsIncrease(log);
    assertThat(store.verify()).isEmpty();
  }

  /** Opens the store several times by a class loader of its own, and tells what was answered. */
  private List<String> openedApart(List<String> commands) throws Exception {
    Path directory = fixture().directory(temporary);
    String[] args = {fixture().provider().name(), "" + directory, "0"};
    List<String> answers = new ArrayList<>();
    try (URLClassLoader loader = classesApart()) {
      Class<?> child = loader.loadClass(StoreChild.class.getName());
      assertThat(child).isNotSameAs(StoreChild.class);
      for (int i = 0; i < OPENINGS; i++) {
        Object said =
            child.getMethod("runHere", String[].class, List.class).invoke(null, args, commands);
        ((List<?>) said).forEach(line -> answers.add((String) line));
      }
    }
    return answers;
  }

  private static URLClassLoader classesApart() throws MalformedURLException {
    List<URL> classes = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      classes.add(Path.of(entry).toUri().toURL());
    }
    return new URLClassLoader(classes.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }
}
