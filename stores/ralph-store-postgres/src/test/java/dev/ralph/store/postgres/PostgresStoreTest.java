package dev.ralph.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Tests beyond the conformance tests: stopped servers, broken connections, missing batch numbers.
 */
@EnabledOnOs(
    value = OS.LINUX,
    architectures = "amd64") // the server binaries exist only for this platform
class PostgresStoreTest {

  private static final Topic TOPIC = Topic.of("test.one.topic");

  private final PostgresServer server = PostgresServer.shared();
  private final String schema = "t" + UUID.randomUUID().toString().replace("-", "");

  @AfterEach
  void drop() {
    server.drop(schema);
  }

  private FrameStore open() {
    return open(StoreConfig.at(server.address(schema)));
  }

  private static FrameStore open(StoreConfig config) {
    return new PostgresStoreProvider().open(config);
  }

  private static Frame append(FrameStore store, Topic topic, String content) {
    Draft draft = Draft.of(topic, Meta.empty(), content);
    return store.append(Batch.of(UUID.randomUUID().toString(), List.of(draft))).frames().get(0);
  }

  private static List<String> contents(FrameStore store, TopicFilter filter) {
    List<String> contents = new ArrayList<>();
    try (FrameCursor cursor = store.read(Query.of(filter))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        contents.add(frame.content());
      }
    }
    return contents;
  }

  private static void assertRejected(Code code, String reason, Runnable opening) {
    assertThatThrownBy(opening::run)
        .isInstanceOfSatisfying(RalphException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(reason);
  }

  // ---- opening

  @ParameterizedTest
  @ValueSource(strings = {"user", "order", "group", "select", "table", "all", "end", "default"})
  void reservedWord_isAllowedAsSchema(String word) throws SQLException {
    try {
      try (FrameStore store = open(StoreConfig.at(server.address(word)))) {
        append(store, TOPIC, "one");
        assertThat(store.verify()).isEmpty();
      }
      try (FrameStore store = open(StoreConfig.at(server.address(word)))) {
        append(store, TOPIC, "two");
        assertThat(contents(store, TopicFilter.all())).containsExactly("one", "two");
      }
      assertThat(PostgresStores.sql(word)).contains("create table \"" + word + "\".log");
    } finally {
      server.execute("drop schema if exists \"" + word + "\" cascade");
    }
  }

  @Test
  void dataSource_opensSameLogAsAddress() {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setURL("jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres?user=ralph");
    try (FrameStore store = PostgresStores.of(source, schema);
        FrameStore same = open()) {
      append(store, TOPIC, "by a data source");
      assertThat(contents(same, TopicFilter.all())).containsExactly("by a data source");
      assertThat(store.info().location())
          .isEqualTo("postgres://127.0.0.1:" + server.port() + "/postgres?schema=" + schema);
    }
  }

  /** A connection pool reuses connections with the settings at their return. */
  @Test
  void failedCall_restoresConnectionTimeout() {
    List<Integer> limits = new ArrayList<>();
    PGSimpleDataSource source =
        new PGSimpleDataSource() {
          @Override
          public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            return (Connection)
                Proxy.newProxyInstance(
                    Connection.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (proxy, method, arguments) -> {
                      if (method.getName().equals("setNetworkTimeout")) {
                        limits.add((Integer) arguments[1]);
                      }
                      return method.invoke(connection, arguments);
                    });
          }
        };
    source.setURL("jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres?user=ralph");
    source.setSocketTimeout(7);
    try (FrameStore store = PostgresStores.of(source, schema)) {
      assertRejected(Code.NOT_FOUND, "no-such-frame", () -> store.erase(List.of("no-such-frame")));
    }
    assertThat(limits).containsExactly(0, 7_000);
  }

  @Test
  void foreignSchema_isRejectedUnchanged() {
    server.execute("create schema " + schema + "; create table " + schema + ".precious (x int)");
    assertRejected(Code.INVALID, "holds other tables", this::open);
    server.execute("create table " + schema + ".log (line text)");
    assertRejected(Code.INVALID, "holds other tables", this::open);
    server.execute("insert into " + schema + ".precious values (1)");
  }

  @Test
  void newerFormat_isRejected() {
    open().close();
    server.execute("update " + schema + ".log set version = 2");
    assertRejected(Code.UNSUPPORTED, "a newer version of ralph", this::open);
  }

  @Test
  void unreachableServer_failsAtOnce() {
    String nowhere = "postgres://ralph@127.0.0.1:1/postgres";
    assertRejected(Code.UNAVAILABLE, nowhere, () -> open(StoreConfig.at(nowhere)));
  }

  @Test
  void restrictedRole_usesExistingSchema() {
    String role = "r" + schema;
    server.execute(
        "create role " + role + " login; create schema " + schema + " authorization " + role);
    String address =
        "postgres://" + role + "@127.0.0.1:" + server.port() + "/postgres?schema=" + schema;
    try (FrameStore store = open(StoreConfig.at(address))) {
      append(store, TOPIC, "mine");
      assertThat(contents(store, TopicFilter.all())).containsExactly("mine");
    } finally {
      drop();
      server.execute("drop role " + role);
    }
  }

  @Test
  void folder_isRejectedAsAddress() {
    assertRejected(
        Code.INVALID,
        "postgres://USER@HOST:PORT/DATABASE",
        () -> open(StoreConfig.at("postgres:folder")));
  }

  // ---- order

  @Test
  void openTransaction_isWaitedForByReaders() throws Exception {
    try (FrameStore store = open();
        Connection slow = server.connect();
        Statement statement = slow.createStatement()) {
      append(store, Topic.of("test.first"), "first");
      assertThat(contents(store, TopicFilter.all())).containsExactly("first");
      slow.setAutoCommit(false);
      statement.execute(
          "select * from "
              + schema
              + ".append('{test.slow}', '{slow}', '{1}', '{false}', null, '{0}', '{}', '{}',"
              + " '{null}', '{test.slow}', '{00000000000000a}', '{null}', '{\"{}\"}',"
              + " array['slow'::bytea])");
      append(store, Topic.of("test.fast"), "fast");

      List<String> seen = new ArrayList<>();
      Thread reader = new Thread(() -> seen.addAll(contents(store, TopicFilter.all())));
      reader.start();
      assertThat(contents(store, TopicFilter.parse("test.fast"))).containsExactly("fast");
      while (!isWaiting(slow)) {
        Thread.onSpinWait();
      }
      slow.commit();
      reader.join();

      assertThat(seen).startsWith("first").containsAnyOf("slow");
      assertThat(contents(store, TopicFilter.all())).containsExactly("first", "slow", "fast");
    }
  }

  private static boolean isWaiting(Connection connection) throws Exception {
    try (Statement statement = connection.createStatement();
        var row =
            statement.executeQuery(
                "select count(*) from pg_locks where locktype = 'advisory' and not granted")) {
      row.next();
      return row.getInt(1) > 0;
    }
  }

  @Test
  void failedAppend_delaysNoReader() throws Exception {
    try (FrameStore store = open()) {
      append(store, TOPIC, "before");
      assertThat(contents(store, TopicFilter.all())).containsExactly("before");
      server.execute("select nextval('" + schema + ".number')");
      append(store, TOPIC, "after");
      assertThat(contents(store, TopicFilter.all())).containsExactly("before", "after");
    }
  }

  // ---- connections

  @Test
  void sixteenThreads_useFourConnections() throws Exception {
    String address = server.address(schema) + "&ApplicationName=" + schema;
    AtomicBoolean done = new AtomicBoolean();
    List<Thread> readers = new ArrayList<>();
    try (FrameStore store = open(StoreConfig.at(address));
        Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      append(store, TOPIC, "one");
      for (int i = 0; i < 16; i++) {
        Thread reader =
            new Thread(
                () -> {
                  while (!done.get()) {
                    contents(store, TopicFilter.all());
                  }
                });
        readers.add(reader);
        reader.start();
      }
      for (int i = 0; i < 50; i++) {
        try (var row =
            statement.executeQuery(
                "select count(*) from pg_stat_activity where application_name = '"
                    + schema
                    + "'")) {
          row.next();
          assertThat(row.getInt(1)).isBetween(1, 4);
        }
      }
      done.set(true);
      for (Thread reader : readers) {
        reader.join();
      }
    } finally {
      done.set(true);
    }
  }

  // ---- transient failures

  @Test
  void brokenConnections_loseNoFrames() throws Exception {
    try (FrameStore store = open();
        FrameStore other = open();
        Follower follower = other.follow(Query.of(TopicFilter.of(TOPIC)))) {
      AtomicBoolean done = new AtomicBoolean();
      Thread cutter =
          new Thread(
              () -> {
                while (!done.get()) {
                  server.execute(
                      "select pg_terminate_backend(pid) from pg_stat_activity where"
                          + " application_name = 'ralph' and random() < 0.5");
                }
              });
      cutter.start();
      List<String> appended = new ArrayList<>();
      try {
        for (int i = 0; i < 100; i++) {
          append(store, TOPIC, "frame " + i);
          appended.add("frame " + i);
        }
      } finally {
        done.set(true);
        cutter.join();
      }
      assertThat(contents(store, TopicFilter.all())).isEqualTo(appended);
      List<String> followed = new ArrayList<>();
      while (followed.size() < appended.size()) {
        Frame frame = follower.poll(Duration.ofSeconds(30));
        assertThat(frame).as("frame after %s", followed).isNotNull();
        followed.add(frame.content());
      }
      assertThat(followed).isEqualTo(appended);
    }
  }

  @Test
  void serverCrash_losesNoFrames() throws Exception {
    PostgresServer own = PostgresServer.start();
    try (FrameStore store = open(StoreConfig.at(own.address("ralph")))) {
      List<String> appended = new ArrayList<>();
      Thread writer =
          new Thread(
              () -> {
                for (int i = 0; i < 300; i++) {
                  append(store, TOPIC, "frame " + i);
                  synchronized (appended) {
                    appended.add("frame " + i);
                  }
                }
              });
      writer.start();
      for (int crash = 1; crash <= 2; crash++) {
        while (true) {
          synchronized (appended) {
            if (appended.size() >= 100 * crash) {
              break;
            }
          }
        }
        own.crash();
        own.resume();
      }
      writer.join();
      assertThat(appended).hasSize(300);
      assertThat(contents(store, TopicFilter.all())).isEqualTo(appended);
      assertThat(new TreeSet<>(ids(store))).hasSize(300);
    } finally {
      own.remove();
    }
  }

  private static List<String> ids(FrameStore store) {
    List<String> ids = new ArrayList<>();
    try (FrameCursor cursor = store.read(Query.of(TopicFilter.all()))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        ids.add(frame.id());
      }
    }
    return ids;
  }

  @Test
  void ids_increaseWithinScope() {
    try (FrameStore one = open();
        FrameStore two = open()) {
      for (int i = 0; i < 50; i++) {
        append(i % 2 == 0 ? one : two, TOPIC, "x");
      }
      assertThat(ids(one)).isSorted().doesNotHaveDuplicates();
    }
  }

  @Test
  void repeatedBatch_isAppendedOnce() {
    try (FrameStore store = open()) {
      Batch batch = Batch.of("one", List.of(Draft.of(TOPIC, Meta.empty(), "a\u0000b")));
      List<Frame> first = store.append(batch).frames();
      assertThat(store.append(batch).frames()).isEqualTo(first);
      assertThat(contents(store, TopicFilter.all())).containsExactly("a\u0000b");
    }
  }
}
