package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.file.FileStoreProvider;
import dev.ralph.store.socket.StoreSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Short commands do without the parts of the Java library that cost a cold process milliseconds
 * each: regular expressions, the formatters of times, and the shortest ones without streams.
 */
@Timeout(300)
class ColdCommandsTest {

  @TempDir Path folder;

  /** Runs a command in a JVM of its own, and returns the classes that it loads. */
  private List<String> loadedBy(String... words) throws Exception {
    Path log = folder.resolve("classes.log");
    List<String> line =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xlog:class+load:file=" + log + "::filecount=0",
                // The rules of zones with a summer time load formatters in Java 25.
                "-Duser.timezone=UTC",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    line.addAll(List.of(words));
    Process process =
        new ProcessBuilder(line).directory(folder.toFile()).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    try (Stream<String> lines = Files.lines(log)) {
      return lines.map(each -> each.replaceFirst("^(\\[.*?])+ (\\S+).*", "$2")).toList();
    }
  }

  private void requireUnused(List<String> commands, String... classes) throws Exception {
    for (String command : commands) {
      assertThat(loadedBy(command.split(" ")))
          .as(command)
          .contains(Main.class.getName())
          .doesNotContain(classes);
    }
  }

  /** An agent calls these the most. */
  @Test
  void theShortestCommandsUseNoStreams() throws Exception {
    loadedBy("task", "add", "-n", "a", "--create", "one");
    requireUnused(
        List.of(
            "message -n a hello",
            "task claim -n a t1 --owner ann",
            "task done -n a t1",
            "tasks -n a",
            "note add -n a --type learning port",
            "notes -n a",
            "status -n a"),
        "java.util.stream.Stream",
        "java.util.ServiceLoader");
  }

  /** So they are of an agent that reaches the log through its loop. */
  @Test
  @EnabledOnOs(OS.LINUX) // elsewhere the platform searches for what it needs of sockets
  void theShortestCommandsThroughASocketUseNoneEither() throws Exception {
    loadedBy("task", "add", "-n", "a", "--create", "one");
    StoreConfig place = StoreConfig.in(folder.resolve(".ralph/store")).existing();
    try (FrameStore served = new FileStoreProvider().open(place);
        StoreSocket socket = StoreSocket.serve(served, folder.resolve("socket"))) {
      String there = " --store " + socket.info().location();
      requireUnused(
          List.of("message -n a hello" + there, "task done -n a t1" + there, "tasks -n a" + there),
          "java.util.stream.Stream",
          "java.util.ServiceLoader");
    }
  }

  @Test
  void shortCommandsUseNeitherRegularExpressionsNorFormattersOfTimes() throws Exception {
    loadedBy("task", "add", "-n", "a", "--create", "one");
    loadedBy("note", "add", "-n", "a", "--type", "learning", "The port is 8080");
    loadedBy("mail", "send", "bob", "--as", "ann", "hello");
    // Each for the second time, because what is there is read as well.
    requireUnused(
        List.of(
            "task add -n a two",
            "message -n a hello",
            "message -n a again",
            "task claim -n a t1 --owner ann",
            "task done -n a t1",
            "tasks -n a",
            "notes -n a",
            "inbox -n a",
            "status -n a",
            "mail send bob --as ann hello",
            "mail receive --as bob"),
        "java.util.regex.Pattern",
        "java.time.format.DateTimeFormatter");
  }
}
