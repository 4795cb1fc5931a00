package dev.ralph.transfer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

import dev.ralph.Iteration;
import dev.ralph.Message;
import dev.ralph.Note;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Scru128;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Imports sessions of ralph.nu from the output of {@code xs cat}. */
class XsImportTest {

  private static final Instant BEGIN = Instant.parse("2026-01-01T18:00:00Z");

  @TempDir Path folder;
  private final Scru128 ids = new Scru128(Clock.fixed(BEGIN, ZoneOffset.UTC));
  private final StringBuilder lines = new StringBuilder();
  private final FrameStore store = new MemoryStoreProvider().open(StoreConfig.in(null));
  private final Ralph ralph = Ralph.over(store);

  @AfterEach
  void close() {
    ralph.close();
  }

  /** Adds a frame with inline content. */
  private String add(String topic, String meta, @Nullable String content) {
    return add(topic, meta, null, content);
  }

  private String add(String topic, String meta, @Nullable String hash, @Nullable String content) {
    String id = ids.next();
    Meta line = Meta.of("topic", topic).with("id", id).with("hash", hash).with("content", content);
    String json = line.json();
    lines
        .append(json, 0, json.length() - 1)
        .append(hash == null ? ",\"hash\":null" : "")
        .append(",\"meta\":")
        .append(meta)
        .append(",\"ttl\":null}\n");
    return id;
  }

  private static String hash(String content) throws Exception {
    byte[] digest =
        MessageDigest.getInstance("SHA-256").digest(content.getBytes(StandardCharsets.UTF_8));
    return "sha256-" + Base64.getEncoder().encodeToString(digest);
  }

  private LogImport source() throws IOException {
    return LogImport.of(Files.writeString(folder.resolve("frames.jsonl"), lines))
        .named("frames.jsonl");
  }

  private ImportReport imported() throws IOException {
    ImportReport report = source().into(store);
    assertThat(report.problems()).isEmpty();
    assertThat(report.isVerified()).isTrue();
    return report;
  }

  private List<Frame> frames() {
    List<Frame> all = new ArrayList<>();
    try (FrameCursor cursor = store.read(Query.of(TopicFilter.all()))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        all.add(frame);
      }
    }
    return all;
  }

  @Test
  void importedSession_continues() throws IOException {
    add("xs.start", "null", null);
    add("ralph.auth.iteration", start(1), "");
    String form = add("ralph.auth.task", "{\"action\":\"add\",\"status\":\"remaining\"}", "Form\n");
    add("ralph.auth.task", "{\"action\":\"add\",\"status\":\"blocked\"}", "Tests\n");
    add("ralph.auth.task", status(form.substring(0, 20), "in_progress"), null);
    add("ralph.auth.task", status(form, "completed"), null);
    add("ralph.auth.note", "{\"action\":\"add\",\"type\":\"stuck\",\"iteration\":1}", "CI\n");
    add("ralph.auth.note", "{\"type\":\"in_progress\",\"iteration\":1}", "Half\n");
    String hello = add("ralph.auth.inbox", unread(), "Hello\nyou\n");
    add("ralph.auth.inbox", unread(), "API first\n");
    add("ralph.auth.inbox", "{\"action\":\"mark_read\",\"id\":\"" + hello + "\"}", null);
    add(
        "ralph.auth.control",
        "{\"action\":\"session_complete\",\"ts\":1767290400000}",
        "complete\n");
    add(
        "ralph.auth.iteration",
        "{\"action\":\"complete\",\"n\":1,\"status\":\"success\",\"timestamp\":\"2026-01-01T10:05:00-0800\"}",
        null);
    add("xs.stopping", "null", null);

    ImportReport report = imported();

    assertThat(report.format()).isEqualTo("xs");
    assertThat(report.imported()).isEqualTo(12);
    assertThat(report.system()).isEqualTo(2);
    assertThat(report.renamed()).isEmpty();
    Session session = ralph.session("auth");
    assertThat(session.tasks().list())
        .extracting(Task::number, Task::content, Task::status)
        .containsExactly(
            tuple(1, "Form", Task.Status.COMPLETED), tuple(2, "Tests", Task.Status.BLOCKED));
    assertThat(session.tasks().list().get(0).added()).isEqualTo(BEGIN);
    assertThat(session.notes().list()).extracting(Note::content).containsExactly("CI", "Half");
    assertThat(session.notes().list())
        .extracting(Note::type)
        .containsExactly("stuck", "in_progress");
    assertThat(session.inbox().unread()).extracting(Message::text).containsExactly("API first");
    assertThat(session.inbox().unread())
        .extracting(Message::timestamp)
        .containsExactly("2026-01-01T10:00:00-08:00");
    assertThat(session.iterations().list())
        .singleElement()
        .extracting(Iteration::status)
        .isEqualTo(Iteration.Status.SUCCESS);
    session.tasks().add("Goes on");
    assertThat(session.tasks().list().get(2).number()).isEqualTo(3);
    assertThat(frames().get(0).meta().json())
        .isEqualTo("{\"action\":\"start\",\"n\":1,\"timestamp\":\"2026-01-01T10:00:00-08:00\"}");
  }

  private static String start(int n) {
    return "{\"action\":\"start\",\"n\":" + n + ",\"timestamp\":\"2026-01-01T10:00:00-0800\"}";
  }

  private static String status(String id, String status) {
    return "{\"action\":\"status\",\"id\":\""
        + id
        + "\",\"status\":\""
        + status
        + "\",\"iteration\":1}";
  }

  private static String unread() {
    return "{\"status\":\"unread\",\"timestamp\":\"2026-01-01T10:00:00-0800\"}";
  }

  @Test
  void foreignTopics_areUnchanged() throws IOException {
    String meta = "{\"timestamp\":\"2026-01-01T10:00:00-0800\",\"x\":1.0}";
    add("clip.add.v1.2", meta, "text\n");
    lines.append(
        "{\"topic\":\"a\",\"id\":\"" + ids.next() + "\",\"ttl\":\"last:3\",\"other\":[1]}\n");

    imported();

    assertThat(frames().get(0).topic().name()).isEqualTo("clip.add.v1.2");
    assertThat(frames().get(0).meta().json()).isEqualTo(meta);
    assertThat(frames().get(0).content()).isEqualTo("text\n");
    assertThat(frames().get(1).meta().json()).isEqualTo("{\"ttl\":\"last:3\"}");
  }

  // ---- names

  @Test
  void dottedNames_stayDistinct() throws IOException {
    add("ralph.v1.2.task", "{\"action\":\"add\"}", "first");
    add("ralph.v1-2.task", "{\"action\":\"add\"}", "plain");
    add("ralph.v1.2.task", "{\"action\":\"add\"}", "second");
    add("ralph.a.b-c.note", "{}", "one");
    add("ralph.a-b.c.note", "{}", "two");

    ImportReport report = imported();

    assertThat(report.renamed())
        .containsExactly(
            entry("v1.2", "v1-2-2"), entry("a.b-c", "a-b-c"), entry("a-b.c", "a-b-c-2"));
    assertThat(ralph.session("v1-2-2").tasks().list())
        .extracting(Task::content)
        .containsExactly("first", "second");
    assertThat(ralph.sessions()).containsExactly("a-b-c", "a-b-c-2", "v1-2", "v1-2-2");
    ImportReport again = imported();
    assertThat(again.imported()).isZero();
    assertThat(again.renamed()).isEqualTo(report.renamed());
  }

  @Test
  void existingSession_isNotMixedWithRenamedOne() throws IOException {
    ralph.session("v1-2").tasks().add("mine");
    add("ralph.v1.2.task", "{\"action\":\"add\"}", "theirs");

    assertThat(imported().renamed()).containsEntry("v1.2", "v1-2-2");
    assertThat(imported().renamed()).containsEntry("v1.2", "v1-2-2");
    assertThat(ralph.session("v1-2").tasks().list()).hasSize(1);
  }

  @Test
  void grownFile_renamedSessionKeepsItsName() throws IOException {
    add("ralph.v1.2.task", "{\"action\":\"add\"}", "dotted first");
    assertThat(imported().renamed()).containsExactly(entry("v1.2", "v1-2"));
    add("ralph.v1-2.task", "{\"action\":\"add\"}", "plain first");
    add("ralph.v1.2.task", "{\"action\":\"add\"}", "dotted second");

    ImportReport grown = imported();

    assertThat(grown.imported()).isEqualTo(2);
    assertThat(grown.renamed()).containsExactly(entry("v1.2", "v1-2"), entry("v1-2", "v1-2-2"));
    assertThat(tasks("v1-2")).containsExactly("dotted first", "dotted second");
    assertThat(tasks("v1-2-2")).containsExactly("plain first");
    add("ralph.v1-2-2.task", "{\"action\":\"add\"}", "third first");
    add("ralph.v1-2.task", "{\"action\":\"add\"}", "plain second");
    add("ralph.v1.2.task", "{\"action\":\"add\"}", "dotted third");
    for (int times = 0; times < 2; times++) {
      assertThat(imported().renamed())
          .containsExactly(
              entry("v1.2", "v1-2"), entry("v1-2", "v1-2-2"), entry("v1-2-2", "v1-2-2-2"));
    }
    assertThat(tasks("v1-2")).containsExactly("dotted first", "dotted second", "dotted third");
    assertThat(tasks("v1-2-2")).containsExactly("plain first", "plain second");
    assertThat(tasks("v1-2-2-2")).containsExactly("third first");
    assertThat(ralph.sessions()).containsExactly("v1-2", "v1-2-2", "v1-2-2-2");
  }

  @Test
  void grownFile_plainSessionKeepsItsName() throws IOException {
    add("ralph.v1-2.task", "{\"action\":\"add\"}", "plain first");
    assertThat(imported().renamed()).isEmpty();
    add("ralph.v1.2.task", "{\"action\":\"add\"}", "dotted first");
    assertThat(imported().renamed()).containsExactly(entry("v1.2", "v1-2-2"));
    add("ralph.v1-2-2.task", "{\"action\":\"add\"}", "third first");
    add("ralph.v1.2.task", "{\"action\":\"add\"}", "dotted second");
    add("ralph.v1-2.task", "{\"action\":\"add\"}", "plain second");

    for (int times = 0; times < 2; times++) {
      assertThat(imported().renamed())
          .containsExactly(entry("v1.2", "v1-2-2"), entry("v1-2-2", "v1-2-2-2"));
    }
    assertThat(tasks("v1-2")).containsExactly("plain first", "plain second");
    assertThat(tasks("v1-2-2")).containsExactly("dotted first", "dotted second");
    assertThat(tasks("v1-2-2-2")).containsExactly("third first");
  }

  /** The store decides the names, so that repeated imports find the same sessions. */
  @Test
  void mergedSessions_stayMerged() throws IOException {
    add("ralph.v1.2.task", "{\"action\":\"add\"}", "dotted first");
    imported();
    String dotted = lines.toString();
    lines.setLength(0);
    add("ralph.v1-2.task", "{\"action\":\"add\"}", "plain first");
    assertThat(imported().renamed()).as("continues a session of the store").isEmpty();
    add("ralph.v1-2.task", "{\"action\":\"add\"}", "plain second");
    lines.insert(0, dotted);
    add("ralph.v1.2.task", "{\"action\":\"add\"}", "dotted second");

    assertThat(imported().renamed()).containsExactly(entry("v1.2", "v1-2"));
    assertThat(ralph.sessions()).containsExactly("v1-2");
  }

  private List<String> tasks(String session) {
    return ralph.session(session).tasks().list().stream().map(Task::content).toList();
  }

  @Test
  void failedImport_canBeRepeated() throws IOException {
    for (int i = 0; i < 700; i++) {
      add("ralph.v1.2.task", "{\"action\":\"add\"}", "task " + i);
    }
    add("ralph.v1-2.task", "{\"action\":\"add\"}", "plain");
    AtomicInteger appends = new AtomicInteger();
    FrameStore fullOnce =
        new ForwardingStore(store) {
          @Override
          public Appended append(Batch batch) {
            if (appends.incrementAndGet() == 2) {
              throw RalphException.full("no room left");
            }
            return super.append(batch);
          }
        };
    LogImport source = source();
    assertThatThrownBy(() -> source.into(fullOnce)).hasMessageContaining("no room left");

    ImportReport report = source.into(fullOnce);

    assertThat(report.problems()).isEmpty();
    assertThat(report.isVerified()).isTrue();
    assertThat(report.renamed()).containsExactly(entry("v1.2", "v1-2-2"));
    assertThat(tasks("v1-2-2")).hasSize(700);
    assertThat(tasks("v1-2")).containsExactly("plain");
  }

  @Test
  void import_canBeUsedForTwoStores() throws IOException {
    add("ralph.v1.2.task", "{\"action\":\"add\"}", "theirs");
    LogImport source = source();
    try (Ralph other = Ralph.inMemory()) {
      other.session("v1-2").tasks().add("mine");
      assertThat(source.into(other.log()).renamed()).containsEntry("v1.2", "v1-2-2");
    }
    assertThat(source.into(store).renamed()).containsEntry("v1.2", "v1-2");
    assertThat(ralph.sessions()).containsExactly("v1-2");
  }

  @Test
  void invalidTopics_areListedOnce() throws IOException {
    add("ralph.my session.task", "{}", "one");
    add("ralph.my session.task", "{}", "two");
    add("fine", "{}", "three");
    add("a..b", "{}", "four");

    ImportReport report = source().into(store);

    assertThat(report.problems())
        .extracting(ImportReport.Problem::line, ImportReport.Problem::kind)
        .containsExactly(
            tuple(1L, ImportReport.Problem.Kind.TOPIC), tuple(4L, ImportReport.Problem.Kind.TOPIC));
    assertThat(report.problems().get(0).description()).contains("'my session'");
    assertThat(frames()).isEmpty();
  }

  @Test
  void metaWithoutObject_isListed() throws IOException {
    add("a", "\"text\"", null);
    add("a", "[1]", null);
    add("a", "{\"x\":\"" + "x".repeat(1 << 20) + "\"}", null);
    add("a", "null", null);

    assertThat(source().into(store).problems())
        .extracting(ImportReport.Problem::kind)
        .containsOnly(ImportReport.Problem.Kind.META)
        .hasSize(3);
    assertThat(frames()).isEmpty();
  }

  @Test
  void metaTooLongAfterConversion_isListed() throws Exception {
    String most = "{\"x\":\"" + "x".repeat((1 << 20) - 8) + "\"}";
    String id = add("a", most, null);
    add("a", most, hash("gone"), null);
    lines.append(
        "{\"topic\":\"a\",\"id\":\""
            + ids.next()
            + "\",\"ttl\":\"last:3\",\"meta\":"
            + most
            + "}\n");
    LogImport log = source().missingContent(LogImport.MissingContent.EMPTY);

    assertThat(log.into(store).problems())
        .extracting(ImportReport.Problem::line, ImportReport.Problem::kind)
        .containsExactly(
            tuple(2L, ImportReport.Problem.Kind.META), tuple(3L, ImportReport.Problem.Kind.META));
    assertThat(frames()).isEmpty();
    lines.delete(lines.indexOf("\n") + 1, lines.length());
    imported();
    assertThat(frames()).extracting(Frame::id).containsExactly(id);
  }

  @Test
  void onlyTheFrameTimestamp_isConverted() throws IOException {
    String other = "\"x\":{\"timestamp\":\"2026-01-01T10:00:00-0800\"}";
    String own = "\"timestamp\":\"2026-01-01T10:00:00-0800\"";
    add("ralph.auth.inbox", "{" + other + "," + own + ",\"a\":1}", "text");
    add("ralph.auth.inbox", "{\"n\":1.0,\"time\\u0073tamp\":\"2026-01-01T10:00:00-0800\"}", "text");

    imported();

    assertThat(frames())
        .extracting(frame -> frame.meta().json())
        .containsExactly(
            "{" + other + ",\"timestamp\":\"2026-01-01T10:00:00-08:00\",\"a\":1}",
            "{\"n\":1.0,\"time\\u0073tamp\":\"2026-01-01T10:00:00-08:00\"}");
  }

  // ---- content

  /** Runs for the three locations of content. */
  @ParameterizedTest
  @ValueSource(strings = {"store", "store/cacache", "backup", "backup/cas"})
  void content_isFoundByHash(String given) throws Exception {
    String text = "Login form\n";
    Path file;
    if (given.startsWith("store")) {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      String hex = HexFormat.of().formatHex(digest);
      file =
          folder
              .resolve("store/cacache/content-v2/sha256")
              .resolve(hex.substring(0, 2))
              .resolve(hex.substring(2, 4))
              .resolve(hex.substring(4));
    } else {
      file =
          folder
              .resolve("backup/cas")
              .resolve(
                  Base64.getEncoder().encodeToString(hash(text).getBytes(StandardCharsets.UTF_8)));
    }
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    add("ralph.auth.task", "{\"action\":\"add\"}", hash(text), null);

    ImportReport report = source().contentIn(folder.resolve(given)).into(store);

    assertThat(report.isVerified()).isTrue();
    assertThat(ralph.session("auth").tasks().list().get(0).content()).isEqualTo("Login form");
  }

  @Test
  void badContent_isListedAndNothingWritten() throws Exception {
    Files.createDirectories(folder.resolve("cas"));
    addUnusable();

    ImportReport report = source().contentIn(folder.resolve("cas")).into(store);

    assertThat(report.problems())
        .extracting(ImportReport.Problem::kind)
        .containsOnly(ImportReport.Problem.Kind.CONTENT)
        .hasSize(4);
    assertThat(report.problems())
        .extracting(ImportReport.Problem::line)
        .containsExactly(1L, 2L, 3L, 4L);
    assertThat(report.problems().get(0).description()).contains(hash("gone"), "not found");
    assertThat(report.problems().get(1).description()).contains(hash("right"), "does not match");
    assertThat(report.problems().get(2).description()).contains("'../../etc/passwd'");
    assertThat(report.problems().get(3).description()).contains("not UTF-8 text");
    assertThat(frames()).isEmpty();
  }

  private void addUnusable() throws Exception {
    add("ralph.auth.task", "{\"action\":\"add\"}", hash("gone"), null);
    add("ralph.auth.task", "{\"action\":\"add\"}", hash("right"), "wrong");
    add("ralph.auth.task", "{\"action\":\"add\"}", "../../etc/passwd", null);
    byte[] binary = {(byte) 0xff, 0, 1};
    String hash =
        "sha256-"
            + Base64.getEncoder()
                .encodeToString(MessageDigest.getInstance("SHA-256").digest(binary));
    Files.write(
        folder
            .resolve("cas")
            .resolve(Base64.getEncoder().encodeToString(hash.getBytes(StandardCharsets.UTF_8))),
        binary);
    add("ralph.auth.task", "{\"action\":\"add\"}", hash, null);
    add("ralph.auth.task", "{\"action\":\"add\"}", hash("right"), "right");
  }

  @Test
  void missingContent_isEmptyOnRequest() throws Exception {
    Files.createDirectories(folder.resolve("cas"));
    addUnusable();
    LogImport log =
        source().contentIn(folder.resolve("cas")).missingContent(LogImport.MissingContent.EMPTY);

    ImportReport report = log.into(store);

    assertThat(report.isVerified()).isTrue();
    assertThat(report.withoutContentCount()).isEqualTo(4);
    assertThat(frames()).extracting(Frame::content).containsExactly("", "", "", "", "right");
    assertThat(frames().get(0).meta().string("content_missing")).isEqualTo(hash("gone"));
    assertThat(frames().get(4).meta().has("content_missing")).isFalse();
  }

  @Test
  void contentWithoutFolder_isListed() throws Exception {
    add("a", "{}", hash("text"), null);
    assertThat(source().check().problems()).singleElement().asString().contains("not in the file");
    assertThatThrownBy(() -> source().contentIn(folder.resolve("nowhere")).check())
        .hasMessageContaining("no folder with contents");
  }

  // ---- invalid files

  @Test
  void invalidId_isRejected() throws IOException {
    add("a", "{}", "text");
    lines.append("{\"topic\":\"a\",\"id\":\"zzzzzzzzzzzzzzzzzzzzzzzzz\",\"hash\":null}\n");
    assertThatThrownBy(() -> source().into(store))
        .hasMessageContainingAll("frames.jsonl, line 2", "zzzz");
    assertThat(frames()).isEmpty();
  }

  @Test
  void idOfYear10000_isRejected() throws IOException {
    Instant late = Instant.parse("9999-12-31T23:59:59.999Z");
    for (Instant time : List.of(late, late.plusMillis(1))) {
      String id = new Scru128(Clock.fixed(time, ZoneOffset.UTC)).next();
      lines.append("{\"topic\":\"a\",\"id\":\"" + id + "\",\"hash\":null}\n");
    }
    assertThatThrownBy(() -> source().into(store))
        .hasMessageContainingAll("frames.jsonl, line 2", "10000");
    assertThat(frames()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r\n", "\n\n\r\n\n"})
  void trailingBlankLines_areSkipped(String blanks) throws IOException {
    add("a", "{}", "text");
    lines.append(blanks);
    imported();
    add("a", "{}", "text");
    assertThatThrownBy(() -> source().check()).hasMessageContaining("line 2: it is empty");
    lines.setLength(0);
    lines.append(blanks);
    assertThatThrownBy(() -> source().check()).hasMessageContaining("the file is empty");
  }

  @Test
  void byteOrderMark_isSkipped() throws IOException {
    lines.append('\ufeff');
    add("a", "{}", "text");

    imported();

    assertThat(frames()).hasSize(1);
  }

  @Test
  void utf16_isRejected() throws IOException {
    add("a", "{}", "text");
    for (Charset charset :
        List.of(StandardCharsets.UTF_16, StandardCharsets.UTF_16BE, StandardCharsets.UTF_16LE)) {
      for (String mark : List.of("", "\ufeff")) {
        Path file = folder.resolve("utf16");
        Files.write(file, (mark + lines).getBytes(charset));
        assertThatThrownBy(() -> LogImport.of(file).check()).hasMessageContaining("UTF-16");
      }
    }
  }

  @Test
  void compressedFile_isRejected() throws IOException {
    Path file = folder.resolve("gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write('{');
    }
    assertThatThrownBy(() -> LogImport.of(file).check()).hasMessageContaining("gunzip");
  }

  @Test
  void cutLine_isRejected() throws IOException {
    add("a", "{}", "text");
    add("a", "{}", "text");
    lines.setLength(lines.length() - 10);
    assertThatThrownBy(() -> source().into(store))
        .hasMessageContainingAll("frames.jsonl, line 2", "was cut");
    assertThat(frames()).isEmpty();
  }

  @Test
  void unsortedFile_keepsOrderAndIsCounted() throws IOException {
    String late = new Scru128(Clock.fixed(BEGIN.plusSeconds(9), ZoneOffset.UTC)).next();
    lines.append("{\"topic\":\"a\",\"id\":\"" + late + "\",\"hash\":null}\n");
    String early = add("a", "{}", "text");
    add("a", "{}", "text");

    ImportReport report = imported();

    assertThat(report.unsorted()).isEqualTo(1);
    assertThat(frames()).extracting(Frame::id).startsWith(late, early);
  }

  @Test
  void conflictingFrames_areFoundBeforeWriting() throws IOException {
    add("a", "{}", "before");
    add("a", "{}", "text");
    add("a", "{}", "between");
    String line = lines.toString().lines().skip(1).findFirst().orElseThrow() + "\n";
    int end = lines.length();
    for (String other :
        List.of(
            line.replace("text", "other"),
            line.replace("{}", "{\"n\":1}"),
            line.replace("\"a\"", "\"b\""))) {
      lines.setLength(end);
      lines.append(line).append(other);

      ImportReport report = source().into(store);

      assertThat(report.problems())
          .extracting(ImportReport.Problem::line, ImportReport.Problem::kind)
          .containsExactly(tuple(5L, ImportReport.Problem.Kind.REPEATED));
      assertThat(report.problems().get(0).description()).contains("line 2");
      assertThat(report.imported()).isZero();
      assertThat(frames()).isEmpty();
    }
  }

  @Test
  void repeatedFrame_isImportedOnce() throws IOException {
    add("a", "{}", "text");
    lines.append(lines);

    ImportReport report = imported();

    assertThat(report.frames()).isEqualTo(1);
    assertThat(report.imported()).isEqualTo(1);
    assertThat(report.repeated()).isEqualTo(1);
    assertThat(report.alreadyThere()).isZero();
    assertThat(report.reordered()).isZero();
    ImportReport again = imported();
    assertThat(again.alreadyThere()).isEqualTo(1);
    assertThat(again.repeated()).isEqualTo(1);
  }
}
