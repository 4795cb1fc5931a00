package dev.ralph.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Tests a store behind PgBouncer, which assigns a server connection to each transaction. */
@EnabledIf("isInstalled")
class PgBouncerTest {

  private static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");
  private static final Topic TOPIC = Topic.of("test.one.topic");

  private final PostgresServer server = PostgresServer.shared();
  private final String schema = "t" + UUID.randomUUID().toString().replace("-", "");

  @TempDir Path folder;
  private Process pooler;
  private int port;

  static boolean isInstalled() {
    return Files.isExecutable(PROGRAM);
  }

  @BeforeEach
  void start() throws Exception {
    port = PostgresServer.freePort();
    Path users = Files.writeString(folder.resolve("users"), "\"ralph\" \"\"\n");
    Path settings =
        Files.writeString(
            folder.resolve("settings"),
            """
            [databases]
            postgres = host=127.0.0.1 port=%d
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = %d
            unix_socket_dir =
            auth_type = trust
            auth_file = %s
            pool_mode = transaction
            default_pool_size = 2
            """
                .formatted(server.port(), port, users));
    List<String> command = new ArrayList<>(List.of(PROGRAM.toString(), "-q"));
    if (PostgresServer.isRoot()) {
      command.addAll(List.of("-u", "nobody"));
    }
    command.add(settings.toString());
    pooler =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    while (!answers()) {
      assertThat(pooler.isAlive()).as(Files.readString(folder.resolve("log"))).isTrue();
    }
  }

  private boolean answers() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (java.io.IOException notYet) {
      return false;
    }
  }

  @AfterEach
  void stop() throws Exception {
    pooler.destroyForcibly().waitFor();
    server.drop(schema);
  }

  private FrameStore open(int serverPort) {
    String address = server.address(schema).replace(":" + server.port(), ":" + serverPort);
    return new PostgresStoreProvider().open(StoreConfig.at(address));
  }

  private static void append(FrameStore store, String content) {
    Draft draft = Draft.of(TOPIC, Meta.empty(), content);
    store.append(Batch.of(UUID.randomUUID().toString(), List.of(draft)));
  }

  private static List<String> contents(FrameStore store) {
    List<String> contents = new ArrayList<>();
    try (FrameCursor cursor = store.read(Query.of(TopicFilter.all()))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        contents.add(frame.content());
      }
    }
    return contents;
  }

  @Test
  void concurrentCalls_workThroughPooler() throws Exception {
    try (FrameStore one = open(port);
        FrameStore two = open(port)) {
      List<Thread> threads = new ArrayList<>();
      for (FrameStore store : List.of(one, two, one, two)) {
        int number = threads.size();
        Thread thread =
            new Thread(
                () -> {
                  for (int i = 0; i < 25; i++) {
                    append(store, number + " " + i);
                    contents(store);
                  }
                });
        thread.start();
        threads.add(thread);
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(contents(one)).hasSize(100).doesNotHaveDuplicates().isEqualTo(contents(two));
      Frame last = one.last(TopicFilter.all()).orElseThrow();
      assertThat(two.erase(List.of(last.id()))).isOne();
      assertThat(one.get(last.id()).orElseThrow().isErased()).isTrue();
      assertThat(one.verify()).isEmpty();
    }
  }

  @Test
  void pooledFollower_pollsAndLogsPooler() throws Exception {
    List<String> messages = new ArrayList<>();
    Logger logger = Logger.getLogger("dev.ralph.store.postgres");
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            messages.add(entry.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.addHandler(handler);
    try (FrameStore direct = open(server.port());
        FrameStore pooled = open(port);
        Follower follower = pooled.follow(Query.of(TopicFilter.of(TOPIC)))) {
      assertThat(messages).singleElement().asString().startsWith("PostgreSQL is behind a pooler");
      for (int i = 0; i < 3; i++) {
        append(direct, "frame " + i);
        assertThat(follower.poll(Duration.ofSeconds(30)).content()).isEqualTo("frame " + i);
      }
    } finally {
      logger.removeHandler(handler);
    }
  }
}
