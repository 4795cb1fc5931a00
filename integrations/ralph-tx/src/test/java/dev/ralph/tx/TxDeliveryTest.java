package dev.ralph.tx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Ralph;
import dev.ralph.domain.Priority;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.RalphException;
import dev.ralph.mail.NewMail;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import dev.ralph.tx.TxEvent.Kind;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests deliveries from files to agents. */
@Timeout(300)
class TxDeliveryTest {

  @TempDir Path project;
  private final BlockingQueue<TxEvent> events = new LinkedBlockingQueue<>();

  /** Events that arrived before an awaited event. */
  private final List<TxEvent> others = new ArrayList<>();

  private final BlockingQueue<TxSink.Delivery> got = new LinkedBlockingQueue<>();
  private final List<AutoCloseable> open = new ArrayList<>();

  /** Returns the kind of store. */
  String store() {
    return "file";
  }

  private Ralph ralphIn(Path folder) {
    return Ralph.builder().store(store()).directory(folder.resolve(".ralph/store")).open();
  }

  private Ralph ralph() {
    Ralph ralph = ralphIn(project);
    open.add(0, ralph);
    return ralph;
  }

  private TxFolder folder() {
    return TxFolder.of(project.resolve(TxFolder.USUAL));
  }

  private Tx tx() {
    return opened(Tx.of(ralph(), folder(), events::add));
  }

  private Tx opened(Tx tx) {
    open.add(0, tx);
    return tx;
  }

  private TxConsumer deliver(Tx tx, String agent, TxSink sink) {
    TxConsumer consumer = tx.deliver(agent, sink);
    open.add(0, consumer);
    return consumer;
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
    open.clear();
  }

  private static TxMessage task(String id) {
    return TxMessage.of(TxType.TASK).from("core").to("brain").id(id).headline("About " + id);
  }

  private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
    T next = queue.poll(100, TimeUnit.SECONDS);
    assertThat(next).as("arrives in time").isNotNull();
    return next;
  }

  /**
   * Returns the next event of a kind. Threads report events in any order, so other events are kept.
   */
  private TxEvent event(Kind kind) throws InterruptedException {
    for (TxEvent event : others) {
      if (event.kind() == kind) {
        others.remove(event);
        return event;
      }
    }
    while (true) {
      TxEvent event = next(events);
      if (event.kind() == kind) {
        return event;
      }
      others.add(event);
    }
  }

  private void forgetEvents() {
    events.clear();
    others.clear();
  }

  private List<String> ids(int count) throws InterruptedException {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(next(got).file().id());
    }
    return ids;
  }

  private Path write(String name, String text) throws IOException {
    Files.createDirectories(folder().messages());
    return Files.writeString(folder().file(name), text);
  }

  private static String text(String to, String id, String more) {
    return "---\nto: "
        + to
        + "\nfrom: core\ntype: task\nmsg-id: "
        + id
        + "\n"
        + more
        + "---\n\nx\n";
  }

  @Test
  void earlierAndLaterFiles_areDelivered() throws Exception {
    Tx tx = tx();
    Path before = tx.send(task("a")).get(0);
    deliver(tx, "brain", got::add);
    TxSink.Delivery first = next(got);
    assertThat(first.path()).isEqualTo(before).isAbsolute();
    assertThat(first.to()).hasToString("brain/brain");
    assertThat(first.file().message().headline()).isEqualTo("About a");
    assertThat(first.isRepeat()).isFalse();

    tx.send(task("b"));
    assertThat(ids(1)).containsExactly("b");
    assertThat(event(Kind.TAKEN)).hasToString(first.file() + " is accepted for brain/brain");
    assertThat(event(Kind.DELIVERED).file()).isEqualTo(first.file().name());
  }

  @Test
  void restart_redeliversNothing() throws Exception {
    Tx tx = tx();
    tx.send(task("a"));
    deliver(tx, "brain", got::add);
    assertThat(ids(1)).containsExactly("a");
    event(Kind.DELIVERED);
    close();

    Tx later = tx();
    later.send(task("b"));
    deliver(later, "brain", got::add);
    assertThat(ids(1)).containsExactly("b");
    event(Kind.DELIVERED);
    assertThat(got).isEmpty();
  }

  @Test
  void restartWithLinkedFolder_redeliversNothing() throws Exception {
    Path real = Files.createDirectory(project.resolve("real"));
    Path link = Files.createSymbolicLink(project.resolve("link"), real);
    TxFolder linked = TxFolder.of(link.resolve(TxFolder.USUAL));
    try (Ralph ralph = ralphIn(link);
        Tx tx = Tx.of(ralph, linked, events::add)) {
      tx.send(task("a"));
      tx.deliver("brain", got::add);
      assertThat(ids(1)).containsExactly("a");
      event(Kind.DELIVERED);
    }
    try (Ralph ralph = ralphIn(link);
        Tx later = Tx.of(ralph, linked)) {
      assertThat(later.preview()).as("files to take up").isEmpty();
    }
  }

  /** TX loses all these messages, because it relies on the stamps in the file names. */
  @Test
  void fileStamps_doNotAffectDelivery() throws Exception {
    write("1231235959-task-core--brain-new-year.md", text("brain", "new-year", ""));
    Tx tx = tx();
    deliver(tx, "brain", got::add);
    assertThat(ids(1)).containsExactly("new-year");
    write("0101000000-task-core--brain-later.md", text("brain", "later", ""));
    write("0101000000-task-core--brain-same-second.md", text("brain", "same-second", ""));
    write("0715120000-task-core>brain-older.md", text("brain", "older", ""));
    write("anything.md", text("brain", "unnamed", ""));
    assertThat(ids(4)).containsExactlyInAnyOrder("later", "same-second", "older", "unnamed");
  }

  @Test
  void agentsWithEqualJoinedName_getTheirOwnMail() throws Exception {
    Tx tx = tx();
    BlockingQueue<TxSink.Delivery> other = new LinkedBlockingQueue<>();
    deliver(tx, "a-b/c", got::add);
    deliver(tx, "a/b-c", other::add);
    tx.send(task("one").to("a-b/c"));
    tx.send(task("two").to("a/b-c"));
    assertThat(ids(1)).containsExactly("one");
    assertThat(next(other).file().id()).isEqualTo("two");
    assertThat(got).isEmpty();
  }

  @Test
  void newAgents_includesMailOfSecondProcess() throws Exception {
    Ralph ralph = ralph();
    Tx tx = opened(Tx.of(ralph, folder()));
    assertThat(tx.newAgents(Set.of(), Duration.ZERO)).isEmpty();
    Tx other = opened(Tx.of(ralph, folder()));
    other.takeUp();
    other.send(task("one").to("b"));
    List<TxAddress> first = tx.newAgents(Set.of(), Duration.ofSeconds(100));
    assertThat(first).containsExactly(TxAddress.parse("b"));
    other.send(task("two").to("b"));
    other.send(task("three").to("a"));
    assertThat(tx.newAgents(Set.copyOf(first), Duration.ofSeconds(100)))
        .containsExactly(TxAddress.parse("a"));
    assertThat(tx.newAgents(Set.of(), Duration.ZERO)).hasToString("[b/b, a/a]");
  }

  @Test
  void messages_areDeliveredByPriorityThenAge() throws Exception {
    Tx tx = tx();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch all = new CountDownLatch(1);
    deliver(
        tx,
        "brain",
        delivery -> {
          begun.countDown();
          all.await();
          got.add(delivery);
        });
    tx.send(task("gate"));
    event(Kind.TAKEN);
    assertThat(begun.await(100, TimeUnit.SECONDS)).isTrue();
    for (String id : List.of("n1", "l1", "h1", "n2", "h2")) {
      Priority priority =
          id.startsWith("h") ? Priority.HIGH : id.startsWith("l") ? Priority.LOW : Priority.NORMAL;
      tx.send(task(id).priority(priority));
      event(Kind.TAKEN);
    }
    all.countDown();
    assertThat(ids(6)).containsExactly("gate", "h1", "h2", "n1", "n2", "l1");
  }

  @Test
  void slowlyWrittenFile_isDeliveredWhenComplete() throws Exception {
    Tx tx = tx();
    deliver(tx, "brain", got::add);
    Path file = folder().file("slow.md");
    String text = text("brain", "slow", "");
    try (OutputStream out = Files.newOutputStream(file)) {
      for (byte b : text.getBytes(UTF_8)) {
        out.write(b);
        out.flush();
        Thread.sleep(3); // the duration does not matter
      }
    }
    TxSink.Delivery delivery = next(got);
    assertThat(delivery.file().id()).isEqualTo("slow");
    event(Kind.DELIVERED);
    assertThat(got).isEmpty();
  }

  /** The file is already a valid message when its writer pauses, but not the complete one. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void fileOpenForWriting_isNotDelivered() throws Exception {
    Tx tx = tx();
    deliver(tx, "brain", got::add);
    Process writer = writer("slow.md", "slow");
    tx.send(task("later"));
    assertThat(ids(1)).containsExactly("later");

    try (OutputStream go = writer.getOutputStream()) {
      go.write("the end\n".getBytes(UTF_8));
    }
    assertThat(next(got).file().message().body()).isEqualTo("x\nthe end");
    event(Kind.DELIVERED);
    assertThat(events).noneMatch(event -> event.kind() == Kind.CHANGED);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void fileHeldOpen_isReportedUntilClosed() throws Exception {
    Tx tx = tx();
    deliver(tx, "brain", got::add);
    Process writer = writer("kept.md", "kept");
    assertThat(event(Kind.FAILED))
        .hasToString(
            "kept.md could not be delivered: process "
                + writer.pid()
                + " has the file open for writing; delivery waits until the file is closed");
    assertThat(tx.steppedOver()).hasSize(1);
    assertThat(got).isEmpty();

    writer.destroyForcibly();
    assertThat(ids(1)).containsExactly("kept");
    assertThat(tx.steppedOver()).isEmpty();
  }

  /** Starts a process that writes a message, and appends each line of its input to it. */
  private Process writer(String file, String id) throws Exception {
    Process writer =
        new ProcessBuilder(
                "sh",
                "-c",
                "exec >\"$0\"; printf '%s' \"$1\"; exec cat",
                file,
                text("brain", id, ""))
            .directory(Files.createDirectories(folder().messages()).toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    open.add(writer::destroyForcibly);
    while (!Files.exists(folder().file(file)) || Files.size(folder().file(file)) == 0) {
      Thread.onSpinWait();
    }
    return writer;
  }

  @Test
  void invalidFile_isReportedOnce() throws Exception {
    write("broken.md", "---\nto: brain\n");
    write("notes.md", "no front matter");
    Tx tx = tx();
    deliver(tx, "brain", got::add);
    tx.send(task("a"));
    assertThat(ids(1)).containsExactly("a");
    List<String> unreadable =
        List.of(event(Kind.UNREADABLE).toString(), event(Kind.UNREADABLE).toString());
    assertThat(unreadable)
        .anyMatch(line -> line.startsWith("broken.md cannot be read: broken.md:1:"))
        .anyMatch(line -> line.startsWith("notes.md cannot be read: notes.md:1: "));

    write("notes.md", text("brain", "repaired", ""));
    assertThat(ids(1)).containsExactly("repaired");
    close();
    forgetEvents();
    Tx later = tx();
    deliver(later, "brain", got::add);
    write("last.md", text("brain", "last", ""));
    assertThat(ids(1)).containsExactly("last");
    assertThat(events).noneMatch(event -> event.kind() == Kind.UNREADABLE);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void folderOrPipe_isReportedOnce() throws Exception {
    Files.createDirectories(folder().messages().resolve("folder.md"));
    Process pipe = new ProcessBuilder("mkfifo", folder().file("pipe.md").toString()).start();
    assertThat(pipe.waitFor()).isZero();
    Tx tx = tx();
    deliver(tx, "brain", got::add);
    tx.send(task("a"));
    assertThat(ids(1)).containsExactly("a");
    List<String> told =
        List.of(event(Kind.UNREADABLE).toString(), event(Kind.UNREADABLE).toString());
    assertThat(told)
        .anyMatch(
            line -> line.startsWith("folder.md cannot be read:") && line.endsWith("is a folder"))
        .anyMatch(
            line ->
                line.startsWith("pipe.md cannot be read:") && line.endsWith("not a regular file"));
    assertThat(tx.preview()).hasSize(2);
    close();
    forgetEvents();

    Tx later = tx();
    deliver(later, "brain", got::add);
    Files.createDirectory(folder().messages().resolve("folder.md").resolve("in it"));
    write("last.md", text("brain", "last", ""));
    assertThat(ids(1)).containsExactly("last");
    event(Kind.DELIVERED);
    assertThat(events).noneMatch(event -> event.kind() == Kind.UNREADABLE);
    assertThat(later.steppedOver()).hasSize(2);
  }

  @Test
  void renamedOrCopiedFile_isNotRedelivered() throws Exception {
    Tx tx = tx();
    deliver(tx, "brain", got::add);
    Path file = tx.send(task("a")).get(0);
    assertThat(ids(1)).containsExactly("a");
    event(Kind.DELIVERED);

    Files.copy(file, folder().file("copy.md"));
    assertThat(event(Kind.RENAMED).file()).isEqualTo("copy.md");
    write("second.md", text("brain", "a", ""));
    assertThat(event(Kind.OTHER_TEXT).why()).contains(file.getFileName().toString());
    Files.move(file, folder().file(TxName.orphan(file.getFileName().toString())));
    assertThat(event(Kind.ORPHAN).file()).endsWith("-a-orphan.md");
    tx.send(task("b"));
    assertThat(ids(1)).containsExactly("b");
    assertThat(Files.exists(folder().file("second.md"))).isTrue();
  }

  @Test
  void correctedFile_isDelivered() throws Exception {
    Tx tx = tx();
    deliver(tx, "brain", got::add);
    write("to.md", text("'no address'", "to", ""));
    event(Kind.REFUSED);
    write("late.md", text("brain", "late", "deadline: 2020-01-01\n"));
    event(Kind.EXPIRED);
    write("first.md", text("brain", "first", ""));
    assertThat(ids(1)).containsExactly("first");
    write("copy.md", text("brain", "first", ""));
    event(Kind.RENAMED);
    write("second.md", text("brain", "first", "headline: second\n"));
    event(Kind.OTHER_TEXT);
    assertThat(tx.steppedOver()).hasSize(4);

    write("to.md", text("brain", "to", ""));
    assertThat(ids(1)).containsExactly("to");
    write("late.md", text("brain", "late", "deadline: 2999-01-01\n"));
    assertThat(ids(1)).containsExactly("late");
    write("copy.md", text("brain", "copy", ""));
    assertThat(ids(1)).containsExactly("copy");
    write("second.md", text("brain", "second", "headline: second\n"));
    assertThat(ids(1)).containsExactly("second");
    assertThat(tx.steppedOver()).isEmpty();
    assertThat(tx.preview()).isEmpty();
  }

  @Test
  void fileCorrectedBetweenRuns_isDelivered() throws Exception {
    Tx tx = tx();
    tx.takeUp();
    write("to.md", text("'no address'", "to", ""));
    write("other.md", text("'no address'", "other", ""));
    event(Kind.REFUSED);
    event(Kind.REFUSED);
    close();
    write("to.md", text("brain", "to", ""));

    Tx later = tx();
    assertThat(later.preview()).hasToString("[to.md is accepted for brain/brain]");
    deliver(later, "brain", got::add);
    assertThat(ids(1)).containsExactly("to");
  }

  @Test
  void brokenRouting_delaysMessageUntilRepaired() throws Exception {
    Path routing = Files.createDirectories(folder().routing()).resolve("core.json");
    Files.writeString(routing, "{ \"routing\": {");
    Tx tx = tx();
    deliver(tx, "brain", got::add);
    tx.send(task("a"));
    assertThat(event(Kind.FAILED).why()).startsWith("The routing of mesh core is unusable");
    assertThat(tx.steppedOver()).hasSize(1);

    Files.writeString(routing, "{ \"mesh\": \"core\" }");
    assertThat(ids(1)).containsExactly("a");
    assertThat(tx.steppedOver()).isEmpty();
  }

  @Test
  void secondMessageInFile_isReportedAsUndelivered() throws Exception {
    Tx tx = tx();
    deliver(tx, "brain", got::add);
    write("a.md", text("brain", "a", ""));
    assertThat(ids(1)).containsExactly("a");
    event(Kind.DELIVERED);
    write("a.md", text("brain", "b", ""));
    assertThat(event(Kind.CHANGED).why())
        .isEqualTo(
            "its text with the msg-id b is not delivered; write that message to a separate file");
  }

  @Test
  void failedSink_removesAgent() throws Exception {
    Tx tx = tx();
    CountDownLatch begun = new CountDownLatch(1);
    TxConsumer consumer =
        deliver(
            tx,
            "brain",
            delivery -> {
              begun.countDown();
              throw new AssertionError("of the sink");
            });
    tx.send(task("a"));
    assertThat(begun.await(100, TimeUnit.SECONDS)).isTrue();
    while (consumer.isRunning()) {
      Thread.onSpinWait();
    }
    assertThat(tx.present()).isEmpty();
  }

  @Test
  void changedFile_isReportedAndNotRedelivered() throws Exception {
    Tx tx = tx();
    deliver(tx, "brain", got::add);
    write("a.md", text("brain", "a", ""));
    assertThat(ids(1)).containsExactly("a");
    event(Kind.DELIVERED);
    write("a.md", text("brain", "a", "headline: other\n"));
    assertThat(event(Kind.CHANGED))
        .hasToString("a.md was changed: the message is not delivered again");
    tx.send(task("b"));
    assertThat(ids(1)).containsExactly("b");
  }

  @Test
  void expiredOrUnaddressedFile_isReportedAndSkipped() throws Exception {
    write("late.md", text("brain", "late", "deadline: 2020-01-01\n"));
    write("nobody.md", "---\nfrom: core\nmsg-id: nobody\n---\n");
    Tx tx = tx();
    deliver(tx, "brain", got::add);
    List<TxEvent> told = List.of(next(events), next(events));
    assertThat(told)
        .extracting(TxEvent::kind)
        .containsExactlyInAnyOrder(Kind.EXPIRED, Kind.REFUSED);
    tx.send(task("a").deadline(Instant.now().plus(Duration.ofDays(1))));
    assertThat(ids(1)).containsExactly("a");
  }

  @Test
  void waitingMessage_isDroppedAtDeadline() throws Exception {
    Tx tx = tx();
    AtomicBoolean there = new AtomicBoolean();
    deliver(tx, "brain", sink(there));
    Instant deadline = Instant.now().plus(Duration.ofSeconds(2));
    tx.send(task("late").deadline(deadline));
    event(Kind.TAKEN);
    tx.send(task("b"));
    event(Kind.TAKEN);
    while (Instant.now().isBefore(deadline)) {
      Thread.onSpinWait();
    }
    there.set(true);
    assertThat(ids(1)).containsExactly("b");
    assertThat(tx.boxes().get(0).unread()).isLessThanOrEqualTo(1);
  }

  private TxSink sink(AtomicBoolean there) {
    return new TxSink() {
      @Override
      public void deliver(TxSink.Delivery delivery) {
        got.add(delivery);
      }

      @Override
      public boolean isReady() {
        return there.get();
      }
    };
  }

  @Test
  void routingViolation_isRefusedWithReason() throws Exception {
    Path routing = Files.createDirectories(folder().routing());
    assertThat(routing).isEqualTo(project.resolve("meshes/mesh-configs"));
    Files.write(routing.resolve("tdd-cycle.json"), SpecificationTest.bytes("tdd-cycle.json"));
    Files.writeString(routing.resolve("other.json"), "{");
    Tx tx = tx();
    deliver(tx, "tdd-cycle/green-phase", got::add);
    TxMessage message =
        TxMessage.of(TxType.TASK)
            .from("tdd-cycle/red-phase")
            .to("tdd-cycle/green-phase")
            .headline("Written");
    tx.send(message.id("m0").status("done"));
    assertThat(event(Kind.WARNING).why()).startsWith("other.json:1:");
    assertThat(event(Kind.REFUSED).why())
        .isEqualTo(
            "Unknown status \"done\" for agent red-phase. Valid statuses: complete, blocked");
    TxMessage right = message.status("complete");
    tx.send(right.id("m1"));
    assertThat(ids(1)).containsExactly("m1");
    for (int i = 2; i <= 4; i++) {
      tx.send(right.id("m" + i).inReplyTo("m" + (i - 1)).requester("core"));
    }
    assertThat(ids(2)).containsExactly("m2", "m3");
    assertThat(event(Kind.REFUSED).why()).startsWith("Max routing iterations exceeded");
    for (int i = 5; i <= 6; i++) {
      TxMessage more = right.id("m" + i).inReplyTo("m" + (i - 1)).requester("core");
      assertThat(TxView.of(folder(), Clock.systemUTC()).routings(TxRoutings.read(routing)))
          .extracting(view -> view.refusal(more))
          .asString()
          .contains("Max routing iterations exceeded", "Current: " + (i - 1));
      tx.send(more);
      assertThat(event(Kind.REFUSED).why())
          .as("answer to a refused message")
          .endsWith("Current: " + (i - 1) + ", Limit: 3");
    }
  }

  @Test
  void mailForAbsentAgent_waitsAndRosterIsCurrent() throws Exception {
    Tx tx = tx();
    AtomicBoolean there = new AtomicBoolean();
    deliver(tx, "core", delivery -> {});
    deliver(tx, "brain", sink(there));
    tx.send(task("a"));
    event(Kind.TAKEN);
    Ralph elsewhere = ralphIn(project);
    open.add(elsewhere);
    Tx other = Tx.of(elsewhere, folder());
    while (other.present().isEmpty()) {
      Thread.onSpinWait();
    }
    assertThat(other.present()).hasToString("[core/core]");
    assertThat(got).isEmpty();
    there.set(true);
    assertThat(ids(1)).containsExactly("a");
    assertThat(other.present()).hasToString("[brain/brain, core/core]");
    open.remove(0).close();
    assertThat(other.present()).hasToString("[core/core]");
  }

  @Test
  void failedDelivery_isRetriedInOrder() throws Exception {
    Tx tx = tx();
    AtomicInteger tries = new AtomicInteger();
    deliver(
        tx,
        "brain",
        delivery -> {
          if (tries.incrementAndGet() < 3) {
            throw new IOException("not now");
          }
          got.add(delivery);
        });
    tx.send(task("a"));
    event(Kind.TAKEN);
    tx.send(task("b"));
    TxSink.Delivery first = next(got);
    assertThat(first.file().id()).isEqualTo("a");
    assertThat(first.isRepeat()).isTrue();
    assertThat(ids(1)).containsExactly("b");
    assertThat(event(Kind.FAILED)).asString().endsWith("-a.md could not be delivered: not now");
  }

  @Test
  void slowSink_keepsLease() throws Exception {
    Ralph ralph = ralph();
    Duration lease = Duration.ofSeconds(3);
    Tx tx = opened(Tx.of(ralph, folder(), events::add, lease));
    Tx other = opened(Tx.of(ralph, folder(), events::add, lease));
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    open.add(
        0,
        tx.deliver(
            "brain",
            delivery -> {
              begun.countDown();
              end.await();
              got.add(delivery);
            }));
    tx.send(task("a"));
    begun.await();
    open.add(0, other.deliver("brain", got::add));
    tx.send(task("b"));
    assertThat(ids(1)).containsExactly("b");
    assertThat(got.poll(4_500, TimeUnit.MILLISECONDS)).as("from the other consumer").isNull();
    end.countDown();
    assertThat(ids(1)).containsExactly("a");
  }

  @Test
  void deletedFile_isReportedAndSkipped() throws Exception {
    Tx tx = tx();
    AtomicBoolean there = new AtomicBoolean();
    deliver(tx, "brain", sink(there));
    Path gone = tx.send(task("gone")).get(0);
    event(Kind.TAKEN);
    Path orphan = tx.send(task("set-aside")).get(0);
    event(Kind.TAKEN);
    String text = Files.readString(gone);
    Files.delete(gone);
    Files.move(orphan, folder().file(TxName.orphan(orphan.getFileName().toString())));
    tx.send(task("c"));
    there.set(true);
    assertThat(ids(1)).containsExactly("c");
    assertThat(event(Kind.GONE).file()).endsWith("-gone.md");

    Files.writeString(gone, text);
    assertThat(event(Kind.CHANGED).why())
        .isEqualTo("file was missing at its delivery; write the message again with a new msg-id");
  }

  @Test
  void fileRenamedWhileWaiting_isDelivered() throws Exception {
    Tx tx = tx();
    AtomicBoolean there = new AtomicBoolean();
    deliver(tx, "brain", sink(there));
    Path seen = tx.send(task("seen")).get(0);
    event(Kind.TAKEN);
    Path unseen = tx.send(task("unseen")).get(0);
    event(Kind.TAKEN);

    Files.move(seen, folder().file("new-name.md"));
    assertThat(event(Kind.RENAMED).file()).isEqualTo("new-name.md");
    Files.move(unseen, folder().file("newer-name.md"));
    there.set(true);

    assertThat(ids(2)).containsExactly("seen", "unseen");
    assertThat(List.of(event(Kind.DELIVERED).file(), event(Kind.DELIVERED).file()))
        .containsExactly("new-name.md", "newer-name.md");
  }

  @Test
  void deadlinePassedWhileWaiting_isReported() throws Exception {
    Tx tx = tx();
    AtomicBoolean there = new AtomicBoolean();
    deliver(tx, "brain", sink(there));
    CountDownLatch busy = new CountDownLatch(1);
    deliver(
        tx,
        "other",
        delivery -> {
          busy.await();
          got.add(delivery);
        });
    Instant soon = Instant.now().plusSeconds(2);
    tx.send(task("gate").to("other"));
    event(Kind.TAKEN);
    tx.send(task("absent").deadline(soon));
    tx.send(task("waits").to("other").deadline(soon));
    TxEvent absent = event(Kind.EXPIRED);
    assertThat(absent.file()).endsWith("-absent.md");
    assertThat(absent.why()).isEqualTo("deadline was " + soon.truncatedTo(ChronoUnit.MILLIS));
    busy.countDown();
    assertThat(event(Kind.EXPIRED).file()).endsWith("-waits.md");
    assertThat(ids(1)).containsExactly("gate");
    assertThat(tx.steppedOver()).extracting(TxEvent::kind).containsOnly(Kind.EXPIRED).hasSize(2);

    tx.send(task("next").deadline(Instant.now().plusSeconds(600)));
    there.set(true);
    assertThat(ids(1)).containsExactly("next");
    tx.close();
    Tx again = tx();
    forgetEvents();
    again.takeUp();
    again.send(task("later"));
    assertThat(event(Kind.TAKEN).file()).as("taken up last").endsWith("later.md");
    assertThat(again.steppedOver())
        .as("after a restart")
        .extracting(TxEvent::kind)
        .containsOnly(Kind.EXPIRED)
        .hasSize(2);
  }

  // ---- questions

  private static TxMessage ask(String id) {
    return TxMessage.of(TxType.ASK).from("core").to("brain").id(id).headline("How much?");
  }

  @Test
  void ask_waitsForMatchingAnswer() throws Exception {
    Tx tx = tx();
    BlockingQueue<TxSink.Delivery> atCore = new LinkedBlockingQueue<>();
    deliver(tx, "brain", got::add);
    deliver(tx, "core", atCore::add);
    List<CompletableFuture<TxFile>> answers = new ArrayList<>();
    for (String id : List.of("q1", "q2")) {
      answers.add(
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return tx.ask(ask(id), Duration.ofMinutes(3)).orElseThrow();
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              },
              task -> new Thread(task).start())); // the common pool may have one thread
    }
    List<TxMessage> asked = List.of(next(got).file().message(), next(got).file().message());
    tx.send(task("aside").from("brain").to("core"));
    assertThat(next(atCore).file().id()).isEqualTo("aside");
    for (TxMessage each : List.of(asked.get(1), asked.get(0))) {
      assertThat(answers).noneMatch(answer -> answer.isDone() && isTo(answer, each));
      tx.send(
          each.reply(TxType.ASK_RESPONSE)
              .id("to-" + each.id())
              .headline("Ten")
              .body("ten for " + each.id()));
    }
    assertThat(answers.get(0).get().message().body()).isEqualTo("ten for q1");
    assertThat(answers.get(1).get().message().body()).isEqualTo("ten for q2");
    tx.send(task("last").from("brain").to("core"));
    assertThat(next(atCore).file().id()).as("answers are not delivered").isEqualTo("last");
  }

  private static boolean isTo(CompletableFuture<TxFile> answer, TxMessage question) {
    return question.id() != null && question.id().equals(answer.join().message().inReplyTo());
  }

  @Test
  void ask_needsNoSeparateDeliverer() throws Exception {
    Tx tx = tx();
    CompletableFuture<TxFile> answer =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return tx.ask(ask("q1"), Duration.ofMinutes(3)).orElseThrow();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    while (folder().names().isEmpty()) {
      Thread.onSpinWait();
    }
    write(
        "answer.md",
        "---\nto: core\nfrom: brain\ntype: ask-response\nin-reply-to: q1\nmsg-id:"
            + " r1\n---\n\nten\n");
    assertThat(answer.get().message().body()).isEqualTo("ten");
    assertThat(tx.ask(ask("q1"), Duration.ofMinutes(3)).orElseThrow().id())
        .as("repeated question")
        .isEqualTo("r1");
  }

  @Test
  void ask_acceptsAnswerOfAskedAgentOnly() throws Exception {
    Tx tx = tx();
    tx.takeUp();
    CompletableFuture<TxFile> answer =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return tx.ask(ask("q1"), Duration.ofMinutes(3)).orElseThrow();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            },
            task -> new Thread(task).start());
    while (tx.boxes().isEmpty()) {
      Thread.onSpinWait();
    }
    TxMessage wrong = ask("q1").reply(TxType.ASK_RESPONSE).headline("Nine");
    tx.send(wrong.from("mallory").id("w1"));
    assertThat(event(Kind.TAKEN).why())
        .isEqualTo(
            "not an answer to q1: that message asked brain/brain, but this message is from"
                + " mallory/mallory");
    deliver(tx, "core", got::add);
    assertThat(ids(1)).as("delivered like any message").containsExactly("w1");
    assertThat(answer).isNotDone();
    tx.send(ask("q1").reply(TxType.ASK_RESPONSE).id("r1").headline("Ten"));
    assertThat(answer.get().id()).isEqualTo("r1");
    assertThat(event(Kind.TAKEN).why()).isNull();
    assertThat(tx.ask(ask("q1"), Duration.ofMinutes(3)).orElseThrow().id())
        .as("repeated question")
        .isEqualTo("r1");
  }

  @Test
  void messageToMeshWithoutInstance_isDeliveredWithHint() throws Exception {
    Files.createDirectories(folder().routing());
    Files.writeString(folder().routing().resolve("code-review.json"), "{}");
    Tx tx = tx();
    tx.takeUp();
    tx.send(task("m1").from("test-echo-a1/echo").to("test-echo/echo"));
    assertThat(event(Kind.TAKEN).why())
        .isEqualTo(
            "the receiver test-echo/echo names no running instance; the sender's instance is"
                + " test-echo-a1/echo");
    tx.send(task("m2").from("code-review-xy/a").to("code-review/b"));
    assertThat(event(Kind.TAKEN).why()).contains("instance is code-review-xy/b");
    tx.send(task("m3").from("code-review/a").to("code/b"));
    assertThat(event(Kind.TAKEN).why()).as("different mesh").isNull();
  }

  @Test
  void askTimesOut_lateAnswerIsDelivered() throws Exception {
    Tx tx = tx();
    assertThat(tx.ask(ask("q1"), Duration.ofMillis(100))).isEmpty();
    assertThat(tx.ask(ask("q2").deadline(Instant.now().plusSeconds(5)), Duration.ofHours(1)))
        .isEmpty();
    tx.send(ask("q1").reply(TxType.ASK_RESPONSE).id("r1").headline("Ten"));
    deliver(tx, "core", got::add);
    assertThat(ids(1)).containsExactly("r1");
    assertThatThrownBy(() -> tx.ask(ask("q1").from("other"), Duration.ofMinutes(1)))
        .hasMessageContaining("q1 is already used by a message from core/core to brain/brain");
    assertThatThrownBy(() -> tx.send(task("q1").from("other")))
        .hasMessageContaining("its msg-id q1 is already used by");
    assertThatThrownBy(() -> tx.ask(task("t"), Duration.ofMinutes(1)))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("type ask");
  }

  // ---- batches

  @Test
  void invalidMessage_failsWholeBatch() throws Exception {
    Tx tx = tx();
    deliver(tx, "brain", got::add);
    List<Path> files = tx.send(task("a"), task("b"), task("c"));
    assertThat(files).hasSize(3).allMatch(Files::exists);
    assertThat(ids(3)).containsExactly("a", "b", "c");

    assertThatThrownBy(() -> tx.send(task("d"), task("a").timestamp(Instant.EPOCH)))
        .hasMessageContaining("message a would not be delivered");
    assertThatThrownBy(() -> tx.send(task("d"), task("e").id("no/name")))
        .hasMessageContaining("file name");
    tx.send(task("f"));
    assertThat(ids(1)).containsExactly("f");
    try (Stream<Path> left = Files.list(folder().messages())) {
      assertThat(left).hasSize(4);
    }
  }

  @Test
  void filesFoundTogether_areAppendedTogether() throws Exception {
    AtomicInteger appends = new AtomicInteger();
    Ralph ralph =
        Ralph.over(
            new ForwardingStore(new MemoryStoreProvider().open(StoreConfig.in(null))) {
              @Override
              public Appended append(Batch batch) {
                appends.incrementAndGet();
                return super.append(batch);
              }
            });
    open.add(ralph);
    for (int i = 0; i < 1_200; i++) {
      write("m" + i + ".md", text("brain", "m" + i, ""));
    }
    write("x-copy.md", text("brain", "m7", ""));
    write("x-second.md", text("brain", "m8", "headline: Another text\n"));
    write("x-nobody.md", text("b".repeat(300), "nobody", ""));
    Tx tx = opened(Tx.of(ralph, folder(), events::add));
    tx.takeUp();
    while (tx.boxes().isEmpty()
        || tx.boxes().get(0).total() < 1_200
        || tx.steppedOver().size() < 3) {
      event(Kind.TAKEN);
    }
    assertThat(tx.boxes()).hasSize(1).allMatch(box -> box.total() == 1_200);
    assertThat(tx.steppedOver())
        .extracting(TxEvent::kind)
        .containsExactlyInAnyOrder(Kind.RENAMED, Kind.OTHER_TEXT, Kind.REFUSED);
    assertThat(appends).as("number of appends").hasValueLessThan(30);
  }

  @Test
  void questionAndAnswerFoundTogether_areMatched() throws Exception {
    write("question.md", "---\nto: brain\nfrom: core\ntype: ask\nmsg-id: q1\n---\n\nHow much?\n");
    write(
        "zanswer.md",
        "---\nto: core\nfrom: brain\ntype: ask-response\nin-reply-to: q1\nmsg-id:"
            + " r1\n---\n\nten\n");
    Tx tx = tx();
    tx.takeUp();
    event(Kind.TAKEN);
    event(Kind.TAKEN);
    assertThat(tx.ask(ask("q1"), Duration.ofMinutes(3)).orElseThrow().id()).isEqualTo("r1");
  }

  @Test
  void iterationLimit_countsFilesFoundTogether() throws Exception {
    String way = "status: approved\nin-reply-to: begin\n";
    Files.createDirectories(folder().routing());
    Files.writeString(
        folder().routing().resolve("core.json"),
        "{\"routing\": {\"core\": {\"approved\": {\"brain\": \"on\"}}}}");
    for (int i = 1; i <= 5; i++) {
      write("m" + i + ".md", text("brain", "m" + i, way));
    }
    Tx tx = tx();
    tx.takeUp();
    for (int i = 0; i < 2; i++) {
      assertThat(event(Kind.REFUSED).why()).contains("Max routing iterations exceeded");
    }
    assertThat(tx.boxes()).hasSize(1).allMatch(box -> box.total() == 3);
  }

  private List<String> aside() {
    return Stream.of(folder().allNames()).filter(name -> name.startsWith(".")).toList();
  }

  @Test
  void batchOfKilledSender_isCompleted() throws Exception {
    TxFolder folder = folder();
    Ralph ralph = ralph();
    Files.createDirectories(folder.messages());
    String half = folder.setAside(task("never"));
    String old = folder.setAside(task("old"));
    Files.setLastModifiedTime(
        folder.messages().resolve("." + old + ".part"),
        FileTime.from(Instant.now().minus(Duration.ofDays(2))));
    List<String> sent = List.of(folder.setAside(task("a")), folder.setAside(task("b")));
    new FileLog(ralph, folder, new RoutingFiles(folder.routing(), events::add), events::add)
        .takeUpAll(sent.stream().map(folder::readAside).toList(), null);
    assertThat(folder.names()).isEmpty();

    deliver(opened(Tx.of(ralph, folder, events::add)), "brain", got::add);
    assertThat(ids(2)).containsExactly("a", "b");
    assertThat(folder.names()).containsExactlyInAnyOrderElementsOf(sent);
    while (aside().size() > 1) {
      Thread.onSpinWait();
    }
    assertThat(aside()).containsExactly("." + half + ".part");
  }

  @Test
  void twoFoldersInStore_stayApartAndMayMove() throws Exception {
    Ralph ralph = ralph();
    TxFolder second = TxFolder.of(project.resolve("other/.ai/tx"));
    Tx one = opened(Tx.of(ralph, folder(), events::add));
    Tx two = opened(Tx.of(ralph, second, events::add));
    one.send(task("a"));
    two.send(task("b"));
    deliver(one, "brain", got::add);
    assertThat(ids(1)).containsExactly("a");
    event(Kind.DELIVERED);
    close();

    Path moved = project.resolveSibling(project.getFileName() + "-moved");
    Files.move(project, moved);
    try (Ralph again = ralphIn(moved)) {
      try (Tx tx = Tx.of(again, TxFolder.of(moved.resolve(TxFolder.USUAL)))) {
        assertThat(tx.deliver("brain", got::add).agent()).hasToString("brain/brain");
        tx.send(task("c"));
        assertThat(ids(1)).containsExactly("c");
      }
    } finally {
      Files.move(moved, project);
    }
  }

  @Test
  void pathOutsideFolderInLog_isNotFollowed() throws Exception {
    Ralph ralph = ralph();
    TxFolder folder = folder();
    Files.createDirectories(folder.messages());
    Path victim = Files.writeString(project.resolve("victim.md.part"), "mine");
    FileLog log =
        new FileLog(ralph, folder, new RoutingFiles(folder.routing(), events::add), events::add);
    log.boxes().send(NewMail.of("/../../../../victim.md").to(TxAddress.parse("brain").toString()));

    deliver(opened(Tx.of(ralph, folder, events::add)), "brain", got::add);

    assertThat(event(Kind.GONE).file()).isEqualTo("/../../../../victim.md");
    assertThat(victim).hasContent("mine");
    assertThatThrownBy(() -> folder.publish("/../../../../victim.md"))
        .isInstanceOf(RalphException.class);
    assertThatThrownBy(() -> folder.withdraw("/../../../../victim.md"))
        .isInstanceOf(RalphException.class);
    assertThat(victim).hasContent("mine");
  }

  /**
   * The control characters would end the paste in an agent's terminal, and be typed as commands.
   */
  @Test
  void controlCharactersInLoggedName_blockDelivery() throws Exception {
    Ralph ralph = ralph();
    TxFolder folder = folder();
    Files.createDirectories(folder.messages());
    String name = "x\u001b[201~\r!cmd\r.md";
    Files.writeString(folder.messages().resolve(name), "x");
    FileLog log =
        new FileLog(ralph, folder, new RoutingFiles(folder.routing(), events::add), events::add);
    log.boxes().send(NewMail.of(name).to(TxAddress.parse("brain").toString()));

    deliver(opened(Tx.of(ralph, folder, events::add)), "brain", got::add);

    assertThat(event(Kind.GONE).file()).isEqualTo(name);
    assertThat(got).isEmpty();
  }

  @Test
  void linkedFolder_isNotWrittenThrough() throws Exception {
    Path outside = Files.createDirectories(project.resolve("outside/msgs"));
    Files.createDirectories(project.resolve("cloned/.ai"));
    Path link = project.resolve("cloned").resolve(TxFolder.USUAL);
    Files.createSymbolicLink(link, outside.getParent());
    TxFolder folder = TxFolder.of(link);
    for (ThrowingCallable use :
        List.<ThrowingCallable>of(
            () -> folder.write(task("a")),
            () -> folder.setAside(task("b")),
            folder::makeMessages)) {
      assertThatThrownBy(use)
          .isInstanceOf(RalphException.class)
          .hasMessageContaining(link + " is a symbolic link");
    }
    assertThat(outside).isEmptyDirectory();
  }
}
