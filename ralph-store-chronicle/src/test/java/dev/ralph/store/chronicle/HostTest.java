package dev.ralph.store.chronicle;

import static dev.ralph.store.chronicle.TestQueue.append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.file.FileStoreProvider;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the store in an embedding program: JVM arguments, class path, threads, file modes. */
class HostTest {

  @TempDir Path temp;

  @Test
  void missingArguments_areNamedBeforeCreation() throws Exception {
    Path directory = temp.resolve("store");
    List<String> output = ChildJvm.run(List.of(), Appending.class, directory);
    assertThat(output).hasSize(1);
    assertThat(output.get(0))
        .startsWith("UNSUPPORTED")
        .contains("add the arguments " + String.join(" ", JvmFlags.needed()));
    assertThat(directory).doesNotExist();
  }

  @Test
  void eachJvmArgument_isRequired() throws Exception {
    List<String> needed = JvmFlags.needed();
    for (String argument : needed) {
      if (!argument.startsWith("--sun-misc")) { // the platform does not report this argument
        List<String> fewer = needed.stream().filter(each -> !each.equals(argument)).toList();
        List<String> output = ChildJvm.run(fewer, Appending.class, temp.resolve("store"));
        assertThat(output).as("without " + argument).hasSize(1);
        assertThat(output.get(0)).startsWith("UNSUPPORTED").contains(argument);
      }
    }
  }

  @Test
  void missingLibrary_createsNoStore() throws Exception {
    assertThat(withoutLibrary(temp.resolve("store")))
        .singleElement(STRING)
        .startsWith("UNSUPPORTED")
        .contains("net.openhft:chronicle-queue");
    assertThat(temp.resolve("store")).doesNotExist();
  }

  @Test
  void missingLibrary_limitsAppendsToExistingStore() throws Exception {
    Path directory = temp.resolve("store");
    try (FrameStore store = TestQueue.open(directory)) {
      append(store, "made with it");
    }
    List<String> output = withoutLibrary(directory);
    assertThat(output.get(0)).as("in a roll file that contains excerpts").isEqualTo("appended");
    assertThat(output)
        .last(STRING)
        .startsWith("UNSUPPORTED")
        .contains("net.openhft:chronicle-queue");
    try (FrameStore store = TestQueue.open(directory)) {
      append(store, "with it again");
      assertThat(TestQueue.read(store).contents()).hasSize(output.size() + 1);
      assertThat(store.verify()).isEmpty();
    }
    assertThat(directory.resolve("queue/metadata.cq4t.damaged")).doesNotExist();
  }

  private static List<String> withoutLibrary(Path directory) throws Exception {
    String own =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.contains("chronicle-"))
            .collect(Collectors.joining(File.pathSeparator));
    List<String> arguments = new ArrayList<>(JvmFlags.needed());
    arguments.addAll(List.of("-cp", own));
    return ChildJvm.run(arguments, WithoutLibrary.class, directory);
  }

  /** Opens a store and appends until an append fails, without a class of Chronicle. */
  static final class WithoutLibrary {

    private WithoutLibrary() {}

    public static void main(String[] args) {
      try (FrameStore store = TestQueue.open(Path.of(args[0]))) {
        for (int i = 0; i < 100; i++) {
          append(store, "without it");
          System.out.println("appended");
        }
      } catch (RalphException e) {
        System.out.println(e.code() + " " + e.getMessage());
      }
    }
  }

  @Test
  void append_printsNothingAndLeavesNoThread() throws Exception {
    assertThat(ChildJvm.run(JvmFlags.needed(), Appending.class, temp.resolve("store")))
        .containsExactly("appended, left []");
  }

  @Test
  void concurrentCreation_opensSameStore() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (int round = 0; round < 100; round++) {
        Path directory = temp.resolve("store-" + round);
        CyclicBarrier together = new CyclicBarrier(4);
        List<Future<String>> opened = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          opened.add(
              threads.submit(
                  () -> {
                    together.await();
                    try (FrameStore store = TestQueue.open(directory)) {
                      return store.info().location();
                    }
                  }));
        }
        for (Future<String> each : opened) {
          assertThat(each.get()).contains("store-" + round);
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Appends and prints the result. */
  static final class Appending {

    private Appending() {}

    public static void main(String[] args) {
      TreeSet<String> before = threads();
      try (FrameStore store = TestQueue.open(Path.of(args[0]))) {
        append(store, "one", "large ".repeat(20_000));
        store.append(TestQueue.batch("two"));
        store.follow(dev.ralph.log.Query.of(dev.ralph.log.TopicFilter.all())).close();
      } catch (RalphException e) {
        System.out.println(e.code() + " " + e.getMessage());
        return;
      }
      TreeSet<String> left = threads();
      left.removeAll(before);
      System.out.println("appended, left " + left);
    }

    private static TreeSet<String> threads() {
      TreeSet<String> names = new TreeSet<>();
      for (Thread thread : Thread.getAllStackTraces().keySet()) {
        names.add(thread.getName());
      }
      // A JDK thread that stays for a while after a process starts.
      names.remove("process reaper");
      return names;
    }
  }

  @Test
  void files_arePrivateDespiteUmask() throws Exception {
    Path directory = temp.resolve("store");
    List<String> withoutUmask = List.of("sh", "-c", "umask 000; exec \"$@\"", "sh");
    assertThat(ChildJvm.runBy(withoutUmask, JvmFlags.needed(), Appending.class, directory))
        .containsExactly("appended, left []");
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : (Iterable<Path>) paths::iterator) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
            .as(path.toString())
            .isEqualTo(Files.isDirectory(path) ? "rwx------" : "rw-------");
      }
    }
  }

  @Test
  void folderOfOtherKind_isRejected() {
    StoreConfig chronicle = StoreConfig.in(temp.resolve("chronicle"));
    StoreConfig file = StoreConfig.in(temp.resolve("file"));
    new ChronicleStoreProvider().open(chronicle).close();
    new FileStoreProvider().open(file).close();
    assertThatThrownBy(() -> new FileStoreProvider().open(chronicle))
        .hasMessageContaining("its address is chronicle:");
    assertThatThrownBy(() -> new ChronicleStoreProvider().open(file))
        .hasMessageContaining("its address is /");
  }
}
