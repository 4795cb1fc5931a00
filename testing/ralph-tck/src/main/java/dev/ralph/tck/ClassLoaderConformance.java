package dev.ralph.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Frame;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/**
 * Tests that two applications in a JVM, each with a separate copy of the store's classes, see the
 * same log.
 */
@Requires({Capability.PERSISTENT, Capability.MULTI_PROCESS})
public abstract class ClassLoaderConformance extends StoreConformance {

  private static final int LOADERS = 2;
  private static final int OPENINGS = 4;

  @Test
  void twoClassLoaders_shareOneLog() throws Exception {
    FrameStore store = open();
    Set<String> acknowledged = new HashSet<>();
    try (TestThreads testThreads = new TestThreads()) {
      List<FutureTask<List<String>>> others = new ArrayList<>();
      for (int l = 0; l < LOADERS; l++) {
        String command = "append " + OTHER + " 10 3 300";
        others.add(testThreads.call("loader-" + l, () -> openedApart(command)));
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
      testThreads.join();
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

  /** Opens the store several times with a separate class loader, and returns the answers. */
  private List<String> openedApart(String command) throws IOException {
    List<String> answers = new ArrayList<>();
    try (ClassesApart classes = new ClassesApart(fixture())) {
      for (int i = 0; i < OPENINGS; i++) {
        answers.addAll(classes.use(config(), command));
      }
    }
    return answers;
  }
}
