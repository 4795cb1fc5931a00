package dev.ralph.transfer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.TaskEdit;
import dev.ralph.core.LostContents;
import dev.ralph.internal.ForwardingCursor;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Exports from a store and imports into another. */
class LogTransferTest {

  private static final Topic TASK = Topic.of("ralph.auth.task");
  private static final Topic NOTE = Topic.of("ralph.other.note");
  private static final String OLD = "02vxxxxxxxxxxxxxxxxxxxxx1";

  @TempDir Path folder;
  private final List<FrameStore> opened = new ArrayList<>();

  @AfterEach
  void close() {
    opened.forEach(FrameStore::close);
  }

  private FrameStore store() {
    FrameStore store = new MemoryStoreProvider().open(StoreConfig.in(null));
    opened.add(store);
    return store;
  }

  private static void append(FrameStore store, Draft... drafts) {
    store.append(Batch.of(UUID.randomUUID().toString(), List.of(drafts)));
  }

  private static List<Frame> frames(FrameStore store) {
    List<Frame> all = new ArrayList<>();
    try (FrameCursor cursor = store.read(Query.of(TopicFilter.all()))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        all.add(frame);
      }
    }
    return all;
  }

  private static List<String> shapes(FrameStore store) {
    return frames(store).stream()
        .map(f -> f.id() + f.topic() + f.time() + f.meta().json() + f.content())
        .toList();
  }

  private static String export(FrameStore store) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    LogExport.write(store, TopicFilter.all(), out);
    return out.toString(StandardCharsets.UTF_8);
  }

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("export.ndjson"), text);
  }

  private FrameStore source() {
    FrameStore store = store();
    append(
        store,
        Draft.of(
            TASK, Meta.parse("{\"z\":1.50e+03,\"a\":\"\\u00e9\",\"n\":12345678901234567890}"), "é"),
        Draft.of(TASK, Meta.empty(), "two\nlines \u0000 \"quoted\" \\ \ud83d\ude00"));
    append(store, Draft.of(NOTE, Meta.of("action", "add")));
    append(
        store,
        Draft.imported(OLD, Instant.parse("2019-12-31T23:59:59.999Z"), NOTE, Meta.empty(), "Old"));
    append(store, Draft.of(TASK, Meta.empty(), "last"));
    return store;
  }

  @Test
  void frames_areImportedUnchanged() throws IOException {
    FrameStore source = source();
    FrameStore target = store();

    ImportReport report = LogImport.of(file(export(source))).into(target);

    assertThat(report.isVerified()).isTrue();
    assertThat(report.imported()).isEqualTo(5);
    assertThat(report.frames()).isEqualTo(5);
    assertThat(report.reordered()).isZero();
    assertThat(shapes(target)).isEqualTo(shapes(source));
    assertThat(export(target).lines().skip(1))
        .startsWith(export(source).lines().skip(1).findFirst().orElseThrow());
  }

  @Test
  void repeatedExport_isIdentical() throws IOException {
    FrameStore source = source();
    assertThat(export(source)).isEqualTo(export(source));
  }

  @Test
  void repeatedImport_addsOnlyNewFrames() throws IOException {
    FrameStore source = source();
    FrameStore target = store();
    LogImport.of(file(export(source))).into(target);
    append(target, Draft.of(TASK, Meta.empty(), "its own"));
    append(source, Draft.of(NOTE, Meta.empty(), "later"));

    ImportReport again = LogImport.of(file(export(source))).into(target);

    assertThat(again.isVerified()).isTrue();
    assertThat(again.imported()).isEqualTo(1);
    assertThat(again.alreadyThere()).isEqualTo(5);
    assertThat(frames(target)).extracting(Frame::content).endsWith("last", "its own", "later");
  }

  /** Alternating sessions make batches of one frame, so offering each frame would be slow. */
  @Test
  void existingFrames_areSkipped() throws IOException {
    FrameStore source = store();
    FrameStore target = store();
    for (int i = 0; i < 300; i++) {
      append(source, Draft.of(i % 2 == 0 ? TASK : NOTE, Meta.of("n", i), "text " + i));
      if (i == 100) {
        LogImport.of(file(export(source))).into(target);
        append(target, Draft.of(TASK, Meta.empty(), "its own"));
      }
      if (i == 200) {
        ByteArrayOutputStream notes = new ByteArrayOutputStream();
        LogExport.write(source, TopicFilter.parse("ralph.other.*"), notes);
        LogImport.of(file(notes.toString(StandardCharsets.UTF_8))).into(target);
      }
    }
    List<Draft> appended = new ArrayList<>();
    FrameStore watched =
        new ForwardingStore(target) {
          @Override
          public Appended append(Batch batch) {
            appended.addAll(batch.drafts());
            return super.append(batch);
          }
        };

    ImportReport completed = LogImport.of(file(export(source))).into(watched);

    assertThat(completed.isVerified()).isTrue();
    assertThat(completed.imported()).isEqualTo(300 - 101 - 50);
    assertThat(completed.alreadyThere()).isEqualTo(101 + 50);
    assertThat(completed.reordered()).isPositive();
    assertThat(frames(target)).hasSize(301);
    assertThat(appended).as("frames offered to the store").hasSizeLessThan(300 - 90);
    appended.clear();
    ImportReport again = LogImport.of(file(export(source))).into(watched);
    assertThat(again.imported()).isZero();
    assertThat(again.isVerified()).isTrue();
    assertThat(appended).hasSizeLessThan(150);
    assertThat(export(target).lines()).hasSize(303);
  }

  @Test
  void conflictingFrame_isKeptAndReported() throws IOException {
    FrameStore source = source();
    FrameStore target = store();
    append(target, Draft.imported(OLD, Instant.EPOCH, NOTE, Meta.empty(), "mine"));

    ImportReport report = LogImport.of(file(export(source))).into(target);

    assertThat(report.isVerified()).isFalse();
    assertThat(report.problems())
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.kind()).isEqualTo(ImportReport.Problem.Kind.DIFFERS);
              assertThat(problem.id()).isEqualTo(OLD);
              assertThat(problem.line()).isEqualTo(5);
            });
    assertThat(report.imported()).isEqualTo(4);
    assertThat(report.reordered()).isEqualTo(1);
    assertThat(target.get(OLD).orElseThrow().content()).isEqualTo("mine");
  }

  @ParameterizedTest
  @CsvSource({"topic", "time", "meta data", "content"})
  void differences_areReported(String what) throws IOException {
    FrameStore source = store();
    Instant time = Instant.parse("2026-01-01T10:00:00Z");
    append(source, Draft.imported(OLD, time, TASK, Meta.of("n", 1), "text"));
    FrameStore target = store();
    append(
        target,
        Draft.imported(
            OLD,
            what.equals("time") ? time.plusMillis(1) : time,
            what.equals("topic") ? NOTE : TASK,
            what.equals("meta data") ? Meta.parse("{\"n\":1.0}") : Meta.of("n", 1),
            what.equals("content") ? "text\n" : "text"));

    ImportReport report = LogImport.of(file(export(source))).into(target);

    assertThat(report.problems()).hasSize(1);
    assertThat(report.problems().get(0).description()).contains("its " + what + " is ");
  }

  @Test
  void lostFrame_isReported() throws IOException {
    FrameStore forgetful =
        new ForwardingStore(store()) {
          @Override
          public Appended append(Batch batch) {
            List<Draft> kept = new ArrayList<>(batch.drafts());
            kept.removeIf(draft -> draft.content().equals("last"));
            return kept.isEmpty()
                ? Appended.of(List.of(), frames(this).get(0).position())
                : super.append(Batch.of(batch.id(), kept));
          }
        };

    ImportReport report = LogImport.of(file(export(source()))).into(forgetful);

    assertThat(report.isVerified()).isFalse();
    assertThat(report.problems())
        .extracting(ImportReport.Problem::kind)
        .containsExactly(ImportReport.Problem.Kind.LOST);
  }

  @Test
  void longContent_isSplitIntoLines() throws IOException {
    FrameStore source = store();
    String content = "\u0001".repeat(ExportFormat.PART_CHARACTERS - 1) + "\ud83d\ude00 end";
    append(source, Draft.of(TASK, Meta.empty(), content), Draft.of(TASK, Meta.empty(), "next"));
    FrameStore target = store();

    String text = export(source);
    ImportReport report = LogImport.of(file(text)).into(target);

    assertThat(text.lines()).hasSize(5).allMatch(line -> line.length() < 25 << 20);
    assertThat(report.isVerified()).isTrue();
    assertThat(frames(target)).extracting(Frame::content).containsExactly(content, "next");
  }

  @Test
  void filter_limitsTheExport() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    LogExport.Report report = LogExport.write(source(), TopicFilter.parse("ralph.other.*"), out);

    assertThat(report.frames()).isEqualTo(2);
    assertThat(out.toString(StandardCharsets.UTF_8)).doesNotContain("ralph.auth.task");
    FrameStore target = store();
    LogImport.of(file(out.toString(StandardCharsets.UTF_8))).into(target);
    assertThat(frames(target)).extracting(Frame::topic).containsOnly(NOTE).hasSize(2);
  }

  @Test
  void damagedStore_exportReportsDamage() throws IOException {
    Damage damage = new Damage("log/1", 10, 20, 1, "no checksum");
    FrameStore damaged =
        new ForwardingStore(source()) {
          @Override
          public FrameCursor read(Query query) {
            return new ForwardingCursor(super.read(query)) {
              @Override
              public List<Damage> damage() {
                return List.of(damage);
              }
            };
          }
        };
    ByteArrayOutputStream out = new ByteArrayOutputStream();

    LogExport.Report export = LogExport.write(damaged, TopicFilter.all(), out);

    assertThat(export.isComplete()).isFalse();
    assertThat(export.damage()).containsExactly(damage);
    String text = out.toString(StandardCharsets.UTF_8);
    assertThat(text.lines().reduce((a, b) -> b).orElseThrow())
        .contains("\"complete\":false")
        .contains("no checksum");
    ImportReport report = LogImport.of(file(text)).into(store());
    assertThat(report.isSourceComplete()).isFalse();
    assertThat(report.isVerified()).isTrue();
  }

  @Test
  void importedSession_hasTheSameState() throws IOException {
    try (Ralph ralph = Ralph.inMemory();
        Ralph other = Ralph.inMemory()) {
      Session session = ralph.session("auth");
      session.tasks().addAll(List.of(NewTask.of("a"), NewTask.of("b").dependsOn("#1")));
      session.tasks().edit("t2", TaskEdit.of().content("c").priority(0));
      session.tasks().undepend("t2", "t1");
      session.notes().add("tip", "one");
      session.notes().remove("n1");
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      LogExport.write(ralph.log(), TopicFilter.all(), out);

      LogImport.of(file(out.toString(StandardCharsets.UTF_8))).into(other.log());

      Session copy = other.session("auth");
      assertThat(copy.tasks().get("t2").content()).isEqualTo("c");
      assertThat(copy.tasks().get("t2").priority()).isZero();
      assertThat(copy.tasks().get("t2").dependencies()).isEmpty();
      assertThat(copy.notes().list()).isEmpty();
      assertThat(copy.notes().add("tip", "two").number()).isEqualTo(2);
    }
  }

  // ---- stores with lost content

  @Test
  void lostContent_exportReportsTheFrame() throws IOException {
    LostContents store = new LostContents(source());
    store.lose(OLD);
    ByteArrayOutputStream out = new ByteArrayOutputStream();

    LogExport.Report export = LogExport.write(store, TopicFilter.all(), out);

    assertThat(export.frames()).isEqualTo(4);
    assertThat(export.damage()).singleElement().asString().contains(OLD, "put it back");
    assertThat(out.toString(StandardCharsets.UTF_8))
        .doesNotContain("\"id\":\"" + OLD)
        .contains("\"complete\":false");
  }

  @Test
  void import_restoresLostContent() throws IOException {
    FrameStore source = source();
    LostContents target = new LostContents(store());
    LogImport.of(file(export(source))).into(target);
    append(target, Draft.of(TASK, Meta.empty(), "its own"));
    List<String> before = shapes(target);
    for (Frame frame : frames(source)) {
      target.lose(frame.id());
    }

    ImportReport report = LogImport.of(file(export(source))).into(target);

    assertThat(report.isVerified()).isTrue();
    assertThat(report.imported()).isZero();
    assertThat(report.alreadyThere()).isEqualTo(5);
    assertThat(report.restored()).isEqualTo(5);
    assertThat(shapes(target)).isEqualTo(before);
    assertThat(LogImport.of(file(export(source))).into(target).restored()).isZero();
  }

  @Test
  void contentNotInFile_staysLostAndIsReported() throws IOException {
    FrameStore source = source();
    LostContents target = new LostContents(store());
    append(
        target,
        Draft.imported(
            OLD, Instant.parse("2019-12-31T23:59:59.999Z"), NOTE, Meta.empty(), "another"));
    target.lose(OLD);

    ImportReport report = LogImport.of(file(export(source))).into(target);

    assertThat(report.isVerified()).isFalse();
    assertThat(report.restored()).isZero();
    assertThat(report.problems())
        .singleElement()
        .asString()
        .contains(OLD, "its content is damaged", "put it back");
    assertThat(frames(target)).hasSize(5);
  }

  // ---- changed files

  private void refuses(String text, String... explanation) throws IOException {
    FrameStore target = store();
    LogImport log = LogImport.of(file(text)).named("the file");
    assertThatThrownBy(() -> log.into(target))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(RalphException.Code.INVALID))
        .hasMessageContainingAll(explanation)
        .hasMessageStartingWith("the file, line ")
        .message()
        .hasLineCount(1)
        .hasSizeLessThan(500);
    assertThat(frames(target)).isEmpty();
  }

  private void refuses(UnaryOperator<String> change, String... explanation) throws IOException {
    String whole = export(source());
    String changed = change.apply(whole);
    assertThat(changed).isNotEqualTo(whole);
    refuses(changed, explanation);
  }

  @Test
  void cutFile_isRejected() throws IOException {
    String whole = export(source());
    byte[] bytes = whole.getBytes(StandardCharsets.UTF_8);
    for (int length = 0; length < bytes.length - 1; length++) {
      FrameStore target = store();
      Path cut = Files.write(folder.resolve("cut.ndjson"), Arrays.copyOf(bytes, length));
      LogImport log = LogImport.of(cut);
      assertThatThrownBy(() -> log.into(target)).isInstanceOf(RalphException.class);
      assertThat(frames(target)).isEmpty();
    }
    refuses(whole.substring(0, whole.lastIndexOf("{\"ralph\"")), "line 7", "was cut");
    refuses(whole.substring(0, whole.indexOf("Old")), "line 5", "was cut");
  }

  @Test
  void changedFile_isRejected() throws IOException {
    refuses(text -> text.replace("Old", "new"), "line 7", "SHA-256");
    refuses(text -> text.replaceFirst("(?m)^(.*Old.*\n)(.*\n)", "$2$1"), "line 7", "SHA-256");
    refuses(text -> text.replaceFirst("(?m)^.*Old.*\n", ""), "line 6", "5 frames, and holds 4");
    refuses(text -> text.replaceFirst("(?m)^(.*Old.*\n)", "$1$1"), "line 8", "holds 6");
    refuses(text -> text + text, "line 8", "text follows");
    refuses(text -> text.replace("Old\"}", "Old\"]"), "line 5", "not a JSON object");
    refuses(text -> text.replace("Old\"}", "Old\"} {}"), "line 5", "text follows");
    refuses(text -> text.replace("\"time\":\"2019-12-31T23", "\"time\":\"2019-12-32T23"), "time");
    refuses(text -> text.replace("\"topic\":\"ralph.auth", "\"topic\":7,\"x\":\"a"), "topic");
    refuses(text -> text.replace(OLD, "TOO-SHORT"), "line 5", "frame id 'TOO-SHORT'");
    refuses(text -> text.replace("\"meta\":{}", "\"meta\":[]"), "line 3", "meta");
    refuses(text -> text.replace("\"Old\"", "\"\\ud800\""), "line 5", "surrogate");
    refuses(text -> text.replace("\"format\":1", "\"format\":2"), "line 1", "format 2");
  }

  @Test
  void unknownFormat_isRejected() throws IOException {
    refuses("", "line 1", "empty");
    refuses("\n", "line 1", "empty");
    refuses("hello", "line 1", "not a JSON object");
    refuses("[]\n", "line 1", "not a JSON object");
    refuses("{}\n", "line 1", "neither");
    refuses("{\"v\":1,\"kind\":\"frame\"}\n", "line 1", "neither");
    refuses("{".repeat(200_000), "line 1");
    refuses("x".repeat(100_000_000), "line 1");
    refuses("{\"a\":\"" + "x".repeat(100_000_000) + "\"}\n", "line 1", "33554432 bytes");
  }

  @Test
  void invalidUtf8_isRejected() throws IOException {
    Path file = file(export(source()));
    byte[] bytes = Files.readAllBytes(file);
    bytes[new String(bytes, StandardCharsets.ISO_8859_1).indexOf("Old")] = (byte) 0xff;
    Files.write(file, bytes);

    assertThatThrownBy(() -> LogImport.of(file).into(store()))
        .hasMessageContainingAll("line 5", "not valid UTF-8");
    Files.write(file, new byte[] {0x1f, (byte) 0x8b, 8, 0, 0});
    assertThatThrownBy(() -> LogImport.of(file).into(store())).hasMessageContaining("line 1");
  }

  /** Returns a changed export with a matching last line. */
  private static String sealed(String changed) {
    int last = changed.lastIndexOf("{\"ralph\"");
    String body = changed.substring(0, last);
    String hash =
        FormatHashes.hex(FormatHashes.sha256().digest(body.getBytes(StandardCharsets.UTF_8)));
    return body + changed.substring(last).replaceFirst("[0-9a-f]{64}", hash);
  }

  @Test
  void invalidTopics_areListedAndNothingWritten() throws IOException {
    FrameStore target = store();
    String text = export(source()).replace("\"ralph.other.note\"", "\"ralph.oth er.note\"");

    ImportReport report = LogImport.of(file(sealed(text))).into(target);

    assertThat(report.problemCount()).isEqualTo(2);
    assertThat(report.problems().get(0).description()).contains("'ralph.oth er.note'");
    assertThat(frames(target)).isEmpty();
  }

  @Test
  void oversizedMeta_isFoundBeforeWriting() throws IOException {
    FrameStore target = store();
    String text = export(source()).replace("{\"action\":\"add\"}", metaOfLength((1 << 20) + 1));

    ImportReport report = LogImport.of(file(sealed(text))).into(target);

    assertThat(report.problems())
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.kind()).isEqualTo(ImportReport.Problem.Kind.META);
              assertThat(problem.line()).isEqualTo(4);
              assertThat(problem.description()).contains("1048576 characters");
            });
    assertThat(frames(target)).isEmpty();
    text = text.replace(metaOfLength((1 << 20) + 1), metaOfLength(1 << 20));
    assertThat(LogImport.of(file(sealed(text))).into(target).isVerified()).isTrue();
  }

  private static String metaOfLength(int characters) {
    return "{\"x\":\"" + "y".repeat(characters - 8) + "\"}";
  }

  @Test
  void invalidPartCount_isRejected() throws IOException {
    for (int parts : new int[] {0, -5}) {
      refuses(
          text -> sealed(text.replace("\"meta\":{},", "\"meta\":{},\"parts\":" + parts + ",")),
          "line 3",
          "number of parts is " + parts);
    }
  }

  /** Stores accept such ids, so exports may contain them. */
  @Test
  void unusualIds_areImportedUnchanged() throws IOException {
    FrameStore source = source();
    append(
        source,
        Draft.imported("z".repeat(25), Instant.EPOCH, NOTE, Meta.empty(), "from elsewhere"));
    FrameStore target = store();

    assertThat(LogImport.of(file(export(source))).into(target).isVerified()).isTrue();

    assertThat(shapes(target)).isEqualTo(shapes(source));
  }

  /** Returns a store whose third append fails. */
  private FrameStore failing(RalphException failure) {
    return new ForwardingStore(store()) {
      private int left = 2;

      @Override
      public Appended append(Batch batch) {
        if (left == 0) {
          throw failure;
        }
        left--;
        return super.append(batch);
      }
    };
  }

  @Test
  void failedImport_reportsProgress() throws IOException {
    FrameStore full = failing(RalphException.full("no room left"));
    assertThatThrownBy(() -> LogImport.of(file(export(source()))).into(full))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(RalphException.Code.FULL))
        .hasMessageContainingAll(
            "stopped after 4 of 5 frames", "no room left", "to import the rest");
  }

  @Test
  void rejectedFrame_suggestsNoRetry() throws IOException {
    FrameStore strict = failing(RalphException.invalid("no store of mine takes that"));
    assertThatThrownBy(() -> LogImport.of(file(export(source()))).into(strict))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(RalphException.Code.INVALID))
        .hasMessageContainingAll("stopped after 4 of 5 frames", "no store of mine takes that")
        .message()
        .doesNotContain("again");
  }

  @Test
  void unknownOutcome_namesTheBatch() throws IOException {
    IndeterminateException unknown =
        new IndeterminateException("no reply", "batch1", Position.START, true, null);
    assertThatThrownBy(() -> LogImport.of(file(export(source()))).into(failing(unknown)))
        .isInstanceOfSatisfying(
            IndeterminateException.class,
            e -> {
              assertThat(e.batchId()).isEqualTo("batch1");
              assertThat(e.isWritten()).isTrue();
            })
        .hasMessageContainingAll("stopped after 4 of 5 frames", "no reply");
  }

  @Test
  void oversizedContent_isFoundBeforeWriting() throws IOException {
    FrameStore small =
        new ForwardingStore(store()) {
          @Override
          public dev.ralph.log.StoreInfo info() {
            dev.ralph.log.StoreInfo info = super.info();
            return new dev.ralph.log.StoreInfo("id", "small", "here", info.capabilities(), 10, 3);
          }
        };
    ImportReport report = LogImport.of(file(export(source()))).into(small);
    assertThat(report.problems())
        .singleElement()
        .asString()
        .contains("line 3", "limit of this store, 10 bytes");
    assertThat(frames(small)).isEmpty();
  }
}
