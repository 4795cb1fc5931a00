package dev.ralph.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.Ralph;
import dev.ralph.cli.Main;
import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.Scru128;
import dev.ralph.transfer.internal.LogExport;
import dev.ralph.transfer.internal.LogImport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ralph export} and {@code ralph import}. */
class TransferTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;
  private Terminal terminal;

  @BeforeEach
  void beginASession() {
    terminal = new Terminal(folder).with("RALPH_SESSION", "auth");
    for (int i = 1; i <= 9; i++) {
      assertThat(terminal.call("task", "add", "--create", "task number " + i).code()).isZero();
    }
    assertThat(terminal.call("message", "API first").code()).isZero();
  }

  private String done(String... words) {
    Result result = terminal.call(words);
    assertThat(result.err()).isEmpty();
    assertThat(result.code()).isZero();
    return result.out();
  }

  private String refused(int code, String... words) {
    Result result = terminal.call(words);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).startsWith("ralph: ").hasLineCount(1).doesNotContain("internal error");
    assertThat(result.code()).as(result.err()).isEqualTo(code);
    return result.err();
  }

  @Test
  void exportedStore_isImportedIdentically() throws IOException {
    assertThat(done("export", "log.ndjson")).contains("Exported 10 frames to ", "log.ndjson");
    assertThat(done("import", "log.ndjson", "--create", "--store", "copy"))
        .isEqualTo("Imported 10 frames; all verified\n");

    assertThat(done("log", "--store", "copy")).isEqualTo(done("log"));
    assertThat(done("tasks", "--store", "copy")).isEqualTo(done("tasks"));
    assertThat(done("import", "log.ndjson", "--store", "copy"))
        .isEqualTo("Imported 0 frames, 10 already present; all verified\n");
    assertThat(body(done("export", "-"))).isEqualTo(body(done("export", "--store", "copy")));
  }

  /**
   * Returns the lines with frames, without the first line, which names the store, and the last
   * line, which depends on the store.
   */
  private static String body(String export) {
    return export.substring(
        export.indexOf('\n') + 1, export.lastIndexOf('\n', export.length() - 2) + 1);
  }

  @Test
  void exportFile_isPrivateAndNotOverwritten() throws IOException {
    done("export", "log.ndjson");
    Path file = folder.resolve("log.ndjson");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    String before = Files.readString(file);
    done("task", "add", "one more");
    assertThat(refused(1, "export", "log.ndjson")).contains("--force");
    assertThat(file).hasContent(before);
    done("export", "log.ndjson", "--force");
    assertThat(Files.readString(file)).contains("one more");
    assertThat(refused(1, "export", "nowhere/log.ndjson")).contains("nowhere");
    assertThat(refused(1, "export", ".")).contains("folder");
    assertThat(refused(1, "export", "/dev/null", "--force")).contains("redirect");
    assertThat(refused(2, "export", "x", "--topic", "..")).contains("topic pattern");
    assertThat(folder.toFile().list()).containsExactlyInAnyOrder(".ralph", "log.ndjson");
  }

  @Test
  void exportAndImport_workThroughPipe() {
    Result result =
        terminal.pipe(done("export", "--name", "auth"), "import", "-", "--create", "--store", "b");
    assertThat(result.err()).isEmpty();
    assertThat(done("inbox", "--store", "b")).isEqualTo(done("inbox"));
  }

  @Test
  void reportsInJson_haveAllFields() throws IOException {
    JsonNode export = JSON.readTree(done("export", "log.ndjson", "--json"));
    assertThat(export.get("kind").asText()).isEqualTo("export");
    assertThat(export.get("frames").asInt()).isEqualTo(10);
    assertThat(export.get("complete").asBoolean()).isTrue();
    JsonNode report =
        JSON.readTree(done("import", "log.ndjson", "--create", "--store", "b", "--json"));
    assertThat(report.get("imported").asInt()).isEqualTo(10);
    assertThat(report.get("verified").asBoolean()).isTrue();
    assertThat(report.get("problems")).isEmpty();

    Path xs = Files.writeString(folder.resolve("xs"), xsLine("ralph.a.b.task", "sha256-AAAA"));
    Result refused = terminal.call("import", xs.toString(), "--json");
    assertThat(refused.code()).isEqualTo(1);
    JsonNode problem = JSON.readTree(refused.out()).at("/problems/0");
    assertThat(problem.get("kind").asText()).isEqualTo("content");
    assertThat(problem.get("line").asInt()).isEqualTo(1);
  }

  private static String xsLine(String topic, String hash) {
    return "{\"topic\":\""
        + topic
        + "\",\"id\":\""
        + new Scru128(Clock.systemUTC()).next()
        + "\",\"hash\":\""
        + hash
        + "\",\"meta\":{\"action\":\"add\"},\"ttl\":null}\n";
  }

  @Test
  void sessionFromRalphNu_isRenamedWithNotice() throws IOException {
    Files.writeString(folder.resolve("frames.jsonl"), xsLine("ralph.v1.2.task", "sha256-AAAA"));
    Result refused = terminal.call("import", "frames.jsonl", "--create", "--store", "new");
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err())
        .hasLineCount(2)
        .contains("line 1, frame ", "sha256-AAAA", "nothing was imported: 1 problem");
    assertThat(folder.resolve("new")).as("no unused store").doesNotExist();

    Result result = terminal.call("import", "frames.jsonl", "--missing-content", "empty");
    assertThat(result.code()).isZero();
    assertThat(result.out())
        .isEqualTo("Session v1.2 was renamed to v1-2\nImported 1 frame; all verified\n");
    assertThat(result.err()).contains("imported without content: line 1").hasLineCount(1);
    assertThat(terminal.sessions()).containsExactly("auth", "v1-2");
  }

  @Test
  void unreadableImport_isRefusedOnSingleLine() throws IOException {
    Path cut = folder.resolve("cut");
    done("export", "log.ndjson");
    String whole = Files.readString(folder.resolve("log.ndjson"));
    Files.writeString(cut, whole.substring(0, whole.length() / 2));
    String log = done("log");

    assertThat(refused(1, "import", "cut")).contains("'cut', line ", "was cut");
    assertThat(refused(1, "import", "nowhere")).contains("file not found: 'nowhere'");
    assertThat(refused(1, "import", ".")).contains("folder");
    assertThat(refused(1, "import", "log.ndjson", "--store", "new")).contains("--create");
    assertThat(refused(1, "import", "cut", "--store", "new", "--create")).contains("was cut");
    assertThat(folder.resolve("new")).doesNotExist();
    assertThat(refused(2, "import")).contains("FILE");
    assertThat(refused(2, "import", "x", "--missing-content", "maybe")).contains("maybe");
    Files.writeString(folder.resolve("xs"), xsLine("a", "sha256-AAAA"));
    assertThat(refused(1, "import", "xs", "--cas", "nowhere")).contains("nowhere");
    assertThat(done("log")).isEqualTo(log);
  }

  @Test
  void exportOfDamagedStore_reportsMissingFrames() throws IOException {
    Path segment;
    try (Stream<Path> files = Files.walk(folder.resolve(".ralph/store/log"))) {
      segment = files.filter(path -> path.toString().endsWith(".jsonl")).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(segment);
    bytes[new String(bytes, StandardCharsets.ISO_8859_1).indexOf("task number 5") + 3] ^= 1;
    Files.write(segment, bytes);

    Result export = terminal.call("export", "log.ndjson");

    assertThat(export.code()).isEqualTo(1);
    assertThat(export.out()).contains("Exported 9 frames");
    assertThat(export.err()).contains("not in the export: log/");
    Result result = terminal.call("import", "log.ndjson", "--create", "--store", "b");
    assertThat(result.code()).isZero();
    assertThat(result.out()).isEqualTo("Imported 9 frames; all verified\n");
    assertThat(result.err()).contains("was damaged").hasLineCount(1);
  }

  @Test
  void exportThroughMemoryStore_isIdentical() throws IOException {
    done("export", "log.ndjson");
    Path second = folder.resolve("second.ndjson");
    try (Ralph memory = Ralph.inMemory()) {
      LogImport.of(folder.resolve("log.ndjson")).into(memory.log());
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      LogExport.write(memory.log(), TopicFilter.all(), out);
      Files.write(second, out.toByteArray());
    }
    done("import", second.toString(), "--create", "--store", "copy");
    assertThat(done("log", "--json", "--store", "copy")).isEqualTo(done("log", "--json"));
  }

  /** Kills the import after several delays. The next import completes it. */
  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void killedImport_isCompletedByNext() throws Exception {
    int frames = 60_000;
    Path file = folder.resolve("large.ndjson");
    String wanted = large(frames, file);
    Path store = folder.resolve("copy");
    boolean inTheMiddle = false;
    for (long bytes : new long[] {1, 3_000_000, 6_000_000}) {
      Process process = start("import", file.toString(), "--create", "--store", store.toString());
      try {
        while (process.isAlive() && size(store.resolve("log")) < bytes) {
          Thread.onSpinWait();
        }
      } finally {
        process.destroyForcibly().waitFor();
      }
      inTheMiddle |= process.exitValue() != 0 && size(store.resolve("log")) > 0;
    }
    assertThat(inTheMiddle).as("killed during a write").isTrue();

    String said = done("import", file.toString(), "--store", store.toString());
    assertThat(said).contains("already present; all verified");
    assertThat(said).doesNotContain("Imported " + frames).doesNotContain("Imported 0 ");
    assertThat(body(done("export", "--store", store.toString())).equals(body(wanted)))
        .as("all frames in order")
        .isTrue();
  }

  private static String large(int frames, Path file) throws IOException {
    try (Ralph memory = Ralph.inMemory()) {
      List<Draft> batch = new ArrayList<>();
      for (int i = 0; i < frames; i++) {
        Topic topic = Topic.of("ralph.s" + i / 100 % 7 + ".note");
        batch.add(Draft.of(topic, Meta.of("n", i), "text ".repeat(20)));
        if (batch.size() == 100) {
          memory.log().append(Batch.of("b" + i, batch));
          batch.clear();
        }
      }
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      LogExport.write(memory.log(), TopicFilter.all(), out);
      Files.write(file, out.toByteArray());
      return out.toString(StandardCharsets.UTF_8);
    }
  }

  private static long size(Path log) throws IOException {
    if (!Files.exists(log)) {
      return 0;
    }
    long size = 0;
    try (Stream<Path> files = Files.list(log)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".jsonl")).toList()) {
        size += Files.size(file);
      }
    }
    return size;
  }

  private static Process start(String... words) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", Main.class.getName()));
    command.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }
}
