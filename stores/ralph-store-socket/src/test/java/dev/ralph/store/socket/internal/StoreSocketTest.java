package dev.ralph.store.socket.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.ralph.log.AmbiguousException;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.LockedException;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Snapshot;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.file.FileStoreProvider;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests malformed peers, peers that end, and failures on both ends of a served store. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class StoreSocketTest {

  private static final Topic TOPIC = Topic.of("socket.test");

  @TempDir Path folder; // has mode 700, as all temporary folders

  private FrameStore store;
  private Path path;

  @BeforeEach
  void openStore() {
    store = new FileStoreProvider().open(StoreConfig.in(folder.resolve("store")));
    path = folder.resolve("socket");
  }

  @AfterEach
  void closeStore() {
    store.close();
  }

  private FrameStore open() {
    return open("socket://" + path);
  }

  private static FrameStore open(StoreSocket socket) {
    return open(socket.info().location());
  }

  private static FrameStore open(String address) {
    return new SocketStoreProvider().open(StoreConfig.at(address).existing());
  }

  private static Batch batch(String id, String content) {
    return Batch.of(id, List.of(Draft.of(TOPIC, Meta.empty(), content)));
  }

  private static List<String> contents(FrameStore store) {
    List<String> contents = new ArrayList<>();
    try (var cursor = store.read(Query.of(TopicFilter.all()))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        contents.add(frame.content());
      }
    }
    return contents;
  }

  private static Code codeOf(Throwable failure) {
    assertThat(failure).isInstanceOf(RalphException.class);
    return ((RalphException) failure).code();
  }

  // ---- served stores

  @Test
  void servedStore_hasSameIdAtSocketLocation() {
    try (StoreSocket socket = StoreSocket.serve(store, path);
        FrameStore client = open(socket)) {
      assertThat(client.info()).isEqualTo(socket.info());
      assertThat(client.info().storeId()).isEqualTo(store.info().storeId());
      Set<Capability> capabilities = EnumSet.copyOf(store.info().capabilities());
      assertThat(capabilities.remove(Capability.COMPACTS)).isTrue();
      assertThat(client.info().capabilities()).isEqualTo(capabilities);
      assertThat(client.info().location()).isEqualTo("socket://" + path);
    }
    assertThat(path).doesNotExist();
    assertThat(contents(store)).isEmpty(); // the store is still open
  }

  @Test
  void decision_usesClockOfServedStore() {
    Clock host = Clock.systemUTC();
    FrameStore ahead =
        new ForwardingStore(store) {
          @Override
          public Clock clock(Clock own) {
            return Clock.offset(own, Duration.ofHours(1));
          }
        };
    try (StoreSocket socket = StoreSocket.serve(ahead, path);
        FrameStore client = open(socket)) {
      assertThat(client.clock(host).instant())
          .isBetween(host.instant().plusSeconds(3_540), host.instant().plusSeconds(3_660));
    }
    try (StoreSocket socket = StoreSocket.serve(store, path);
        FrameStore client = open(socket)) {
      assertThat(client.clock(host)).isSameAs(host);
    }
  }

  /** Returns one failure for each error code. */
  static Stream<RalphException> failures() {
    return Stream.of(
        RalphException.invalid("said"),
        RalphException.notFound("said"),
        new AmbiguousException("said", List.of("one", "two")),
        new LockedException("said", 17),
        RalphException.contended("said"),
        RalphException.damaged("said"),
        RalphException.full("said"),
        RalphException.unavailable("said", null),
        RalphException.unsupported("said"),
        RalphException.closed("something else"),
        new IndeterminateException("said", "b1", Position.of(5), true, new IOException("a disk")),
        RalphException.io("said"));
  }

  @Test
  void failures_coverEveryErrorCode() {
    assertThat(failures().map(RalphException::code)).containsOnlyOnce(Code.values());
  }

  @ParameterizedTest
  @MethodSource("failures")
  void storeFailure_reachesClientUnchanged(RalphException failure) {
    FrameStore failing =
        new ForwardingStore(store) {
          @Override
          public Appended append(Batch batch) {
            throw failure;
          }
        };
    try (StoreSocket socket = StoreSocket.serve(failing, path);
        FrameStore client = open(socket)) {
      RalphException seen =
          catchThrowableOfType(RalphException.class, () -> client.append(batch("b1", "x")));

      assertThat(seen).hasSameClassAs(failure).hasMessage(failure.getMessage());
      assertThat(seen.code()).isEqualTo(failure.code());
      if (failure instanceof AmbiguousException ambiguous) {
        assertThat(((AmbiguousException) seen).candidates()).isEqualTo(ambiguous.candidates());
      }
      if (failure instanceof LockedException locked) {
        assertThat(((LockedException) seen).pid()).isEqualTo(locked.pid());
      }
      if (failure instanceof IndeterminateException unknown) {
        assertThat(((IndeterminateException) seen).batchId()).isEqualTo(unknown.batchId());
        assertThat(((IndeterminateException) seen).since()).isEqualTo(unknown.since());
        assertThat(((IndeterminateException) seen).isWritten()).isTrue();
      }
      assertThat(contents(client)).isEmpty(); // the connection stays usable
    }
  }

  @Test
  void storeBreaksDuringAppend_outcomeIsIndeterminate() {
    FrameStore breaking =
        new ForwardingStore(store) {
          @Override
          public Appended append(Batch batch) {
            super.append(batch);
            throw new IllegalStateException("broken");
          }
        };
    try (StoreSocket socket = StoreSocket.serve(breaking, path);
        FrameStore client = open(socket)) {
      IndeterminateException seen =
          catchThrowableOfType(IndeterminateException.class, () -> client.append(batch("b1", "x")));
      assertThat(seen.batchId()).isEqualTo("b1");
      assertThat(client.findBatch("b1", seen.since())).isPresent();
    }
  }

  // ---- location of the socket

  @Test
  void folderOpenToOthers_isRefused() throws IOException {
    Path open = Files.createDirectory(folder.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-x---"));
    Throwable failure = catchFailure(() -> StoreSocket.serve(store, open.resolve("socket")));
    assertThat(codeOf(failure)).isEqualTo(Code.INVALID);
    assertThat(failure).hasMessageContaining("chmod 700");
    assertThat(open).isEmptyDirectory();
  }

  @Test
  void tooLongPath_isRefused() throws IOException {
    Path deep = folder.resolve("d".repeat(120));
    Files.createDirectory(
        deep, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Throwable failure = catchFailure(() -> StoreSocket.serve(store, deep.resolve("socket")));
    assertThat(codeOf(failure)).isEqualTo(Code.INVALID);
    assertThat(failure).hasMessageContaining("too long");
  }

  @Test
  void existingFileOrLiveSocket_isKept() throws IOException {
    Files.writeString(path, "mine");
    assertThat(codeOf(catchFailure(() -> StoreSocket.serve(store, path)))).isEqualTo(Code.INVALID);
    assertThat(path).hasContent("mine");
    Files.delete(path);
    try (StoreSocket socket = StoreSocket.serve(store, path);
        FrameStore client = open(socket)) {
      assertThat(codeOf(catchFailure(() -> StoreSocket.serve(store, path))))
          .isEqualTo(Code.INVALID);
      assertThat(contents(client)).isEmpty();
    }
  }

  @Test
  void missingServer_isReportedAsNotFound() {
    Throwable failure = catchFailure(() -> open());
    assertThat(codeOf(failure)).isEqualTo(Code.NOT_FOUND);
    assertThat(failure).hasMessageContaining("socket://" + path);
    for (String address : List.of("socket:" + path, "socket://relative/path")) {
      StoreConfig config = StoreConfig.at(address);
      assertThat(codeOf(catchFailure(() -> new SocketStoreProvider().open(config))))
          .isEqualTo(Code.INVALID);
    }
  }

  @Test
  void otherUser_cannotConnect() throws Exception {
    assumeThat(System.getProperty("user.name"))
        .as("only root can become another user")
        .isEqualTo("root");
    try (StoreSocket socket = StoreSocket.serve(store, path)) {
      String address = socket.info().location();
      Process other =
          ServedProcess.start(
              List.of("setpriv", "--reuid=nobody", "--clear-groups"), "append", address);
      assertThat(ServedProcess.output(other)).contains("Permission denied").doesNotContain("ack");
      Process own = ServedProcess.start(List.of(), "append", address);
      assertThat(ServedProcess.output(own)).contains("ack");
    }
  }

  // ---- clients

  /** Returns the bytes that a client sends to append a frame. */
  private byte[] said() throws IOException {
    Path recorded = folder.resolve("record");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(recorded));
      try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(recorded));
          SocketChannel end = server.accept()) {
        Wire wire = Wire.blocking(client);
        wire.putInt(WireCodec.MAGIC);
        wire.putInt(WireCodec.VERSION);
        RequestType.APPEND.put(wire);
        WireCodec.putBatch(
            wire, batch("b", "text"), List.of("text".getBytes(StandardCharsets.UTF_8)));
        wire.flush();
        ByteBuffer all = ByteBuffer.allocate(10_000);
        end.read(all);
        return Arrays.copyOf(all.array(), all.position());
      }
    }
  }

  private void say(byte[] bytes, int length) throws IOException {
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes, 0, length);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    } catch (IOException refused) {
      // the server closed the connection early
    }
  }

  @Test
  void clientEndsAtAnyByte_storeStaysUsable() throws Exception {
    byte[] said = said();
    try (StoreSocket socket = StoreSocket.serve(store, path);
        FrameStore client = open(socket)) {
      for (int length = 0; length < said.length; length++) {
        say(said, length);
      }
      client.append(batch("whole", "of another"));
      assertThat(contents(client)).containsExactly("of another"); // partial requests append nothing
    }
  }

  @Test
  void randomRequest_closesOnlyItsConnection() throws Exception {
    byte[] said = said();
    Random random = new Random(11);
    try (StoreSocket socket = StoreSocket.serve(store, path);
        FrameStore client = open(socket)) {
      for (int round = 0; round < 400; round++) {
        byte[] changed = said.clone();
        for (int change = 0; change <= round % 4; change++) {
          // mostly after the greeting
          int at = round % 10 == 0 ? random.nextInt(8) : 8 + random.nextInt(said.length - 8);
          changed[at] = (byte) random.nextInt(256);
        }
        say(changed, changed.length);
      }
      assertThat(client.append(batch("whole", "of another")).isConflict()).isFalse();
      assertThat(client.verify()).isEmpty();
    }
  }

  @Test
  void declaredLength_allocatesNoMemory() throws Exception {
    try (StoreSocket socket = StoreSocket.serve(store, path)) {
      List<SocketChannel> many = new ArrayList<>();
      // The declared lengths exceed the memory of this JVM in total.
      for (int client = 0; client < 100; client++) {
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path));
        many.add(channel);
        ByteBuffer says = ByteBuffer.allocate(13);
        says.putInt(WireCodec.MAGIC)
            .putInt(WireCodec.VERSION)
            .put((byte) RequestType.GET.ordinal());
        channel.write(says.putInt(Wire.LONGEST).flip());
      }
      try (FrameStore client = open(socket)) {
        client.append(batch("b", "text"));
      }
      for (int length : new int[] {Wire.LONGEST + 1, Integer.MAX_VALUE, -1}) {
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path));
        ByteBuffer says = ByteBuffer.allocate(13);
        says.putInt(WireCodec.MAGIC)
            .putInt(WireCodec.VERSION)
            .put((byte) RequestType.GET.ordinal());
        channel.write(says.putInt(length).flip());
        awaitEnd(channel);
        channel.close();
      }
      for (SocketChannel channel : many) {
        channel.close();
      }
    }
  }

  private static void awaitEnd(SocketChannel channel) throws IOException {
    ByteBuffer answers = ByteBuffer.allocate(1_000);
    while (channel.read(answers.clear()) >= 0) {
      // skips the greeting and the error
    }
  }

  @Test
  void silentListener_delaysNoOtherListener() throws Exception {
    try (StoreSocket socket = StoreSocket.serve(store, path);
        FrameStore client = open(socket);
        SocketChannel deaf = SocketChannel.open(UnixDomainSocketAddress.of(path));
        Follower follower = client.follow(Query.of(TopicFilter.all()))) {
      ByteBuffer says = ByteBuffer.allocate(9);
      says.putInt(WireCodec.MAGIC)
          .putInt(WireCodec.VERSION)
          .put((byte) RequestType.LISTEN.ordinal());
      deaf.write(says.flip());
      for (int i = 0; i < 1_000; i++) {
        store.append(batch("b" + i, "" + i).synced(false));
        assertThat(follower.poll(Duration.ofSeconds(30)).content()).isEqualTo("" + i);
      }
    }
  }

  // ---- servers

  private static byte[] bytes(int... numbers) {
    ByteBuffer buffer = ByteBuffer.allocate(4 * numbers.length);
    for (int number : numbers) {
      buffer.putInt(number);
    }
    return buffer.array();
  }

  private Throwable opening(byte[] answer) throws Exception {
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(path));
      Thread thread =
          new Thread(
              () -> {
                try (SocketChannel channel = server.accept()) {
                  channel.read(ByteBuffer.allocate(8)); // unread bytes would cut off the answer
                  channel.write(ByteBuffer.wrap(answer));
                } catch (IOException gone) {
                  // the client may have closed the connection
                }
              });
      thread.start();
      Throwable failure = catchFailure(() -> open());
      thread.join();
      return failure;
    } finally {
      Files.delete(path);
    }
  }

  @Test
  void malformedAnswer_failsOnlyTheCall() throws Exception {
    assertThat(codeOf(opening(bytes()))).isEqualTo(Code.IO);
    assertThat(codeOf(opening(bytes(WireCodec.MAGIC)))).isEqualTo(Code.IO);
    assertThat(codeOf(opening("HTTP/1.1 400".getBytes(StandardCharsets.UTF_8))))
        .isEqualTo(Code.INVALID);
    Throwable other = opening(bytes(WireCodec.MAGIC, WireCodec.VERSION + 1));
    assertThat(codeOf(other)).isEqualTo(Code.UNSUPPORTED);
    assertThat(other).hasMessageContaining("a different version");
    int done = WireCodec.DONE << 24;
    for (int length : new int[] {-1, Integer.MAX_VALUE, Wire.LONGEST}) {
      ByteBuffer says = ByteBuffer.allocate(13);
      says.putInt(WireCodec.MAGIC)
          .putInt(WireCodec.VERSION)
          .put((byte) WireCodec.DONE)
          .putInt(length);
      assertThat(codeOf(opening(says.array()))).isEqualTo(Code.IO);
    }
    assertThat(codeOf(opening(bytes(WireCodec.MAGIC, WireCodec.VERSION, done, 7))))
        .isEqualTo(Code.IO);
  }

  @Test
  void lostAnswer_isReportedAsIndeterminate() throws Exception {
    FrameStore hanging =
        new ForwardingStore(store) {
          @Override
          public Appended append(Batch batch) {
            Appended appended = super.append(batch);
            endAll();
            return appended;
          }
        };
    try (StoreSocket socket = StoreSocket.serve(hanging, path);
        FrameStore client = open(socket)) {
      this.served = socket;
      IndeterminateException unknown =
          catchThrowableOfType(IndeterminateException.class, () -> client.append(batch("b1", "x")));
      assertThat(unknown.batchId()).isEqualTo("b1");
      assertThat(unknown.isWritten()).isFalse();
      assertThat(store.findBatch("b1", unknown.since())).isPresent();
      // The server is closed now, so no call can have an effect.
      assertThat(codeOf(catchFailure(() -> client.append(batch("b2", "x"))))).isEqualTo(Code.IO);
      assertThat(codeOf(catchFailure(() -> contents(client)))).isEqualTo(Code.IO);
      assertThat(client.snapshots().load(new Snapshot.Key("f", 1, TopicFilter.all()))).isEmpty();
    }
  }

  private StoreSocket served;

  private void endAll() {
    served.close();
  }

  @Test
  void serverEnds_waitingFollowerFails() throws Exception {
    StoreSocket socket = StoreSocket.serve(store, path);
    try (FrameStore client = open(socket);
        Follower follower = client.follow(Query.of(TopicFilter.all()))) {
      store.append(batch("b1", "one"));
      assertThat(follower.poll(Duration.ofMinutes(1)).content()).isEqualTo("one");
      Thread ends = new Thread(socket::close);
      ends.start();
      assertThatThrownBy(() -> follower.poll(Duration.ofMinutes(1)))
          .isInstanceOf(RalphException.class)
          .hasMessageContaining(path.toString());
      ends.join();
    }
  }

  @Test
  void killedServer_losesNoAcknowledgedAppend() throws Exception {
    store.close();
    Set<String> acknowledged = new HashSet<>();
    Set<String> refused = new HashSet<>();
    for (int round = 0; round < 4; round++) {
      Process server =
          ServedProcess.start(
              List.of(), "serve", folder.resolve("store").toString(), path.toString());
      ServedProcess.await(server, "serving"); // replaces the socket of the previous server
      try (FrameStore client = open()) {
        int count = 0;
        try {
          while (true) {
            String id = "r" + round + "-" + count++;
            try {
              client.append(batch(id, id.repeat(2_000)));
              acknowledged.add(id);
            } catch (IndeterminateException unknown) {
              assertThat(unknown.batchId()).isEqualTo(id);
            } catch (RalphException lost) {
              refused.add(id);
              throw lost;
            }
            if (count == 20 + round) {
              server.destroyForcibly();
            }
          }
        } catch (RalphException gone) {
          assertThat(gone.code()).isEqualTo(Code.IO);
        }
      }
      server.waitFor();
    }
    store = new FileStoreProvider().open(StoreConfig.in(folder.resolve("store")).existing());
    for (String id : acknowledged) {
      assertThat(store.findBatch(id, Position.START)).as(id).isPresent();
    }
    for (String id : refused) {
      assertThat(store.findBatch(id, Position.START)).as(id).isEmpty();
    }
    assertThat(acknowledged).hasSizeGreaterThan(80);
    assertThat(store.verify()).isEmpty();
  }

  private static Throwable catchFailure(ThrowingCallable call) {
    return catchThrowable(call);
  }
}
