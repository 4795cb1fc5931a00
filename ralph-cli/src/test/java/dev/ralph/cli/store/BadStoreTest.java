package dev.ralph.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores that are unusable or damaged. */
class BadStoreTest {

  @TempDir Path folder;
  private Terminal terminal;

  @BeforeEach
  void open() {
    terminal = new Terminal(folder).with("RALPH_SESSION", "auth");
  }

  private void refuses(Path store, String explanation) {
    for (String call : List.of("tasks", "message hello", "task add --create x", "verify", "log")) {
      Result result = terminal.with("RALPH_STORE", store.toString()).call(call.split(" "));
      assertThat(result.code()).as(call).isEqualTo(1);
      assertThat(result.out()).isEmpty();
      assertThat(result.err()).startsWith("ralph: ").contains(explanation).hasLineCount(1);
    }
  }

  @Test
  void file_isNoStore() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "precious");

    refuses(file, "file");
    assertThat(file).hasContent("precious");
  }

  @Test
  void foreignFolder_isNoStore() throws IOException {
    Path other = Files.createDirectory(folder.resolve("other"));
    Files.writeString(other.resolve("precious.txt"), "precious");

    refuses(other, "precious.txt");
    assertThat(other).isDirectoryContaining(path -> path.endsWith("precious.txt"));
  }

  @Test
  void storeOfDifferentKind_isNamedWithAddress() throws IOException {
    Path other = Files.createDirectory(folder.resolve("other"));
    Files.writeString(
        other.resolve("store.json"), "{\"ralph\":\"chronicle\",\"format\":1,\"store\":\"x\"}\n");
    Files.createDirectory(other.resolve("queue"));

    refuses(other, "its address is chronicle:" + other);
    assertThat(other.toFile().list()).containsExactlyInAnyOrder("store.json", "queue");
  }

  @Test
  void missingStore_namesCreatingCommands() {
    assertThat(terminal.call("tasks").err()).contains("ralph build", "task add", "import");
  }

  @Test
  void newerFormat_isRejected() throws IOException {
    terminal.call("task", "add", "--create", "one");
    Path segment = segment();
    String header = Files.readString(segment).lines().findFirst().orElseThrow();
    String newer = header.substring(0, header.indexOf(",\"crc")).replace("mat\":1", "mat\":9");
    CRC32C crc = new CRC32C();
    crc.update(newer.getBytes(StandardCharsets.UTF_8));
    Files.writeString(segment, newer + String.format(",\"crc\":\"%08x\"}%n", crc.getValue()));

    Result result = terminal.call("tasks");

    assertThat(result.err()).contains("format 9").hasLineCount(1);
    assertThat(result.code()).isEqualTo(2);
  }

  @Test
  void unknownStoreKind_isNamed() {
    Result result = terminal.call("tasks", "--store", "nosuch:" + folder);

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err())
        .contains("'nosuch'", "DIR (folder of JSON lines)", "chronicle:DIR", "postgres://HOST")
        .doesNotContain("dev.ralph", "memory")
        .hasLineCount(1);
  }

  @Test
  void serverAddress_isNeverAFolder() {
    String address = "nosuch://host:5432/team?schema=a";
    for (String call :
        List.of("tasks", "task add --create x", "message hello", "doctor", "build")) {
      Result result = terminal.with("RALPH_STORE", address).call(call.split(" "));

      assertThat(result.code()).as(call).isEqualTo(2);
      assertThat(result.err()).contains("unknown kind of store 'nosuch'").hasLineCount(1);
      assertThat(folder).isEmptyDirectory();
    }
  }

  @Test
  void leftovers_areListedAndRemovedOnRequest() throws IOException {
    terminal.call("task", "add", "--create", "one");
    Path content = Files.createDirectories(segment().getParent().resolveSibling("content/ab"));
    String name = "content/ab/sha256-" + "ab".repeat(32);
    Path left = Files.writeString(content.resolve("sha256-" + "ab".repeat(32)), "left");
    Files.setLastModifiedTime(left, FileTime.from(Instant.now().minus(Duration.ofDays(2))));

    Result found = terminal.call("verify");
    assertThat(found.out())
        .startsWith("No damage\n")
        .contains("Unused file of a killed process: " + name + "\n", "verify --remove-leftovers");
    assertThat(found.code()).isZero();
    assertThat(left).exists();

    JsonNode removed =
        new ObjectMapper().readTree(terminal.call("verify", "--remove-leftovers", "--json").out());
    assertThat(removed.get("removed").asBoolean()).isTrue();
    assertThat(removed.get("leftovers").get(0).asText()).isEqualTo(name);
    assertThat(left).doesNotExist();
    assertThat(terminal.call("verify").out()).isEqualTo("No damage\n");
  }

  @Test
  void damagedStore_showsRestWithSingleWarning() throws IOException {
    for (int i = 1; i <= 9; i++) {
      terminal.call("task", "add", "--create", "task number " + i);
    }
    Path segment = segment();
    byte[] bytes = Files.readAllBytes(segment);
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    bytes[text.indexOf("task number 5") + 3] ^= 1;
    Files.write(segment, bytes);
    deleteDerivedFiles();

    Result tasks = terminal.call("tasks");
    assertThat(tasks.code()).isZero();
    assertThat(tasks.out()).contains("number 3", "number 7").doesNotContain("number 5");
    assertThat(tasks.err()).startsWith("ralph: warning: the store is damaged (").hasLineCount(1);
    assertThat(terminal.call("verify").code()).isEqualTo(1);
    Result verify = terminal.call("verify", "--json");
    assertThat(verify.code()).isEqualTo(1);
    JsonNode damage = new ObjectMapper().readTree(verify.out()).get("damage");
    assertThat(damage).hasSize(1);
    assertThat(damage.get(0).get("offset").asLong()).isPositive();
    assertThat(damage.get(0).get("bytes").asLong()).isPositive();
    assertThat(damage.get(0).get("frames").asLong()).isEqualTo(1);
    assertThat(terminal.call("doctor").code()).isEqualTo(1);
    assertThat(terminal.call("message", "still works").code()).isZero();
  }

  @Test
  void lostContent_isRestoredByImport() throws IOException {
    String large = "z".repeat(100_000);
    terminal.call("task", "add", "--create", "first");
    terminal.pipe(large, "task", "add", "-");
    terminal.pipe(large, "message", "-");
    terminal.pipe("m" + large, "note", "add", "-", "--type", "tip");
    terminal.call("task", "add", "third");
    terminal.call("export", "backup");
    List<Path> contents = contents();
    assertThat(contents).hasSize(2);
    Files.delete(contents.get(0));
    Files.writeString(contents.get(1), "something else");

    for (String call :
        List.of("status", "tasks", "task add x", "task done t3", "inbox", "notes", "message x")) {
      Result result = terminal.call(call.split(" "));
      assertThat(result.code()).as(call + result.err()).isZero();
      assertThat(result.err()).as("no lost content in the output").isEmpty();
    }
    assertThat(terminal.call("tasks").out())
        .contains("t1 ", "t2 ", "zzz… (256 of 100000 characters;", "t3 ", "t4 ");
    assertThat(terminal.call("inbox").out()).contains("m1 [", "zzz… (256 of 100000 characters;");
    for (String call :
        List.of("task show t2", "inbox show m1", "note show n1", "note show n1 --json")) {
      Result result = terminal.call(call.split(" "));
      assertThat(result.code()).as(call).isEqualTo(1);
      assertThat(result.out()).as(call).isEmpty();
      assertThat(result.err()).as(call).contains("restore the file");
    }
    Result log = terminal.call("log", "--json");
    assertThat(log.code()).isZero();
    assertThat(log.err()).contains("ralph: not shown: content: of frame 0").hasLineCount(4);
    Result export = terminal.call("export", "lacking");
    assertThat(export.code()).isEqualTo(1);
    assertThat(export.err()).contains("not in the export: content: of frame 0").hasLineCount(4);
    assertThat(log.out().lines().count())
        .isEqualTo(Files.readAllLines(folder.resolve("lacking")).size() - 2);
    assertThat(terminal.call("verify").out()).hasLineCount(3);

    Result healed = terminal.call("import", "backup");

    assertThat(healed.err()).isEmpty();
    assertThat(healed.out())
        .isEqualTo(
            "Imported 0 frames, 5 already present, restored the content of 2;" + " all verified\n");
    assertThat(terminal.call("verify").out()).isEqualTo("No damage\n");
    Result tasks = terminal.call("tasks");
    assertThat(tasks.err()).isEmpty();
    assertThat(tasks.out()).contains("t2 ").contains("zz");
  }

  private List<Path> contents() throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve(".ralph/store/content"))) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  @Test
  void damagedTail_acceptsImportOfBackup() throws IOException {
    terminal.call("task", "add", "--create", "first");
    terminal.call("export", "backup");
    terminal.call("task", "add", "the last");
    Path segment = segment();
    byte[] bytes = Files.readAllBytes(segment);
    bytes[new String(bytes, StandardCharsets.ISO_8859_1).indexOf("the last") + 3] ^= 1;
    Files.write(segment, bytes);

    Result result = terminal.call("import", "backup");

    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.out()).isEqualTo("Imported 0 frames, 1 already present; all verified\n");
  }

  @Test
  void failureWithoutReader_keepsExitCode() throws IOException {
    terminal.call("task", "add", "--create", "task number 1");
    terminal.call("task", "add", "another task");
    assertThat(terminal.callUnheard("log")).isZero();
    Path segment = segment();
    String text = Files.readString(segment, StandardCharsets.ISO_8859_1);
    Files.writeString(segment, text.replace("number 1", "number 2"), StandardCharsets.ISO_8859_1);

    for (String call : List.of("verify", "verify --json", "doctor", "export f --force")) {
      assertThat(terminal.callUnheard(call.split(" "))).as(call).isEqualTo(1);
    }
    Files.writeString(
        folder.resolve("xs"),
        "{\"topic\":\"a\",\"id\":\"03amo4vrpvhsutwvspbt8hhqf\",\"hash\":\"sha256-AAAA\"}\n");
    assertThat(terminal.callUnheard("import", "xs")).isEqualTo(1);
    assertThat(terminal.callUnheard("import", "xs", "--json")).isEqualTo(1);
    assertThat(terminal.callUnheard("tasks")).as("a damaged store is readable").isZero();
    assertThat(terminal.callUnheard("tasks", "--store", "nowhere")).isEqualTo(1);
    assertThat(terminal.callUnheard("tasks", "--nonsense")).isEqualTo(2);
  }

  /** The report has more lines than one write contains. */
  @Test
  void longDamageReportWithoutReader_keepsExitCode() throws IOException {
    for (int i = 100; i < 300; i++) {
      assertThat(terminal.call("task", "add", "--create", "task number " + i).code()).isZero();
    }
    Path segment = segment();
    String text = Files.readString(segment, StandardCharsets.ISO_8859_1);
    for (int i = 101; i < 300; i += 2) {
      text = text.replace("number " + i, "numbed " + i);
    }
    Files.writeString(segment, text, StandardCharsets.ISO_8859_1);

    assertThat(terminal.call("verify").out().length()).isGreaterThan(8192);
    assertThat(terminal.callUnheard("verify")).isEqualTo(1);
  }

  private Path segment() throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve(".ralph/store/log"))) {
      return files.filter(path -> path.toString().endsWith(".jsonl")).findFirst().orElseThrow();
    }
  }

  private void deleteDerivedFiles() throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve(".ralph/store"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String name = file.getFileName().toString();
        if (!name.endsWith(".jsonl") && !name.equals("lock")) {
          Files.delete(file);
        }
      }
    }
  }
}
