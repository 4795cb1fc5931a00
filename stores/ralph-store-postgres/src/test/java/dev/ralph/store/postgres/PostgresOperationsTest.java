package dev.ralph.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests authentication, TLS, replicas and a full disk. */
@EnabledOnOs(
    value = OS.LINUX,
    architectures = "amd64") // the server binaries exist only for this platform
class PostgresOperationsTest {

  private static final Topic TOPIC = Topic.of("test.one.topic");
  private static final String PASS_FILE = "org.postgresql.pgpassfile";

  private final PostgresServer server = PostgresServer.start();

  @TempDir Path folder;

  @AfterEach
  void remove() {
    server.remove();
  }

  private static FrameStore open(String address) {
    return new PostgresStoreProvider().open(StoreConfig.at(address));
  }

  private static String append(FrameStore store, String content) {
    Draft draft = Draft.of(TOPIC, Meta.empty(), content);
    store.append(Batch.of(UUID.randomUUID().toString(), List.of(draft)));
    return content;
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

  private static void assertFails(Code code, String reason, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(RalphException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(reason);
  }

  private String ask(String sql) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }

  /** Replaces the authentication rules by a rule; the owner keeps access. */
  private void setRule(String line) throws SQLException {
    String file = ask("select current_setting('hba_file')");
    server.execute(
        "copy (values ('host all ralph 127.0.0.1/32 trust'), ('" + line + "')) to '" + file + "'");
    server.execute("select pg_reload_conf()");
  }

  // ---- authentication

  @Test
  void password_isReadFromFileAndNotShown() throws Exception {
    server.execute(
        "create role guarded login password 'open sesame';"
            + " create schema guarded authorization guarded");
    setRule("host all guarded 127.0.0.1/32 scram-sha-256");
    String address = server.address("guarded").replace("ralph@", "guarded@");
    Path passwords = folder.resolve("pgpass");
    System.setProperty(PASS_FILE, passwords.toString());
    try {
      assertFails(Code.IO, "PGPASSFILE", () -> open(address));
      Files.createFile(
          passwords,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(passwords, "*:*:*:guarded:wrong guess");
      assertFails(Code.IO, "password authentication failed", () -> open(address));
      Files.writeString(passwords, "*:*:*:guarded:open sesame");
      try (FrameStore store = open(address)) {
        append(store, "let in");
        assertThat(contents(store)).containsExactly("let in");
        assertThat(store.info().toString()).doesNotContain("sesame");
      }
    } finally {
      System.clearProperty(PASS_FILE);
    }
  }

  @Test
  void plainConnection_isRejectedByTlsServer() throws Exception {
    server.execute("create role crypted login");
    setRule("hostssl all crypted 127.0.0.1/32 trust");
    String address = server.address("crypted").replace("ralph@", "crypted@");
    assertFails(Code.IO, "no encryption", () -> open(address));
  }

  @Test
  void compatibleServer_isRejected() {
    server.execute(
        "create schema other; create function other.version() returns text language sql as"
            + " $$ select 'CockroachDB CCL v26.1.0' $$");
    String address = server.address("x") + "&currentSchema=other,pg_catalog";
    assertFails(Code.UNSUPPORTED, "CockroachDB", () -> open(address));
    assertThat(PostgresStores.sql("x")).contains("create table \"x\".frame");
  }

  // ---- replicas

  @Test
  void promotedReplica_replacesCrashedServer() throws Exception {
    PostgresServer standby = server.standby();
    try {
      String both =
          server
              .address("team")
              .replace("/postgres?", ",127.0.0.1:" + standby.port() + "/postgres?");
      server.execute("alter system set synchronous_standby_names = '*'");
      server.execute("select pg_reload_conf()");
      List<String> appended = new ArrayList<>();
      try (FrameStore store = open(both + "&targetServerType=primary")) {
        for (int i = 0; i < 20; i++) {
          appended.add(append(store, "before " + i));
        }
        awaitReplay(standby);
        try (FrameStore replica = open(standby.address("team"))) {
          assertThat(contents(replica)).isEqualTo(appended);
          assertFails(Code.IO, "read-only", () -> append(replica, "to a replica"));
        }
        server.crash();
        standby.execute("select pg_promote()");
        for (int i = 0; i < 20; i++) {
          appended.add(append(store, "after " + i));
        }
        assertThat(contents(store)).isEqualTo(appended);
      }
      server.resume();
    } finally {
      standby.remove();
    }
  }

  private void awaitReplay(PostgresServer standby) throws SQLException {
    String end = ask("select pg_current_wal_flush_lsn()");
    try (Connection connection = standby.connect();
        Statement statement = connection.createStatement()) {
      while (true) {
        try (ResultSet row =
            statement.executeQuery("select pg_last_wal_replay_lsn() >= '" + end + "'")) {
          row.next();
          if (row.getBoolean(1)) {
            return;
          }
        }
      }
    }
  }

  // ---- a full disk

  @Test
  void fullDisk_isReportedAndLosesNothing() throws Exception {
    assumeTrue(System.getProperty("user.name").equals("root"), "only root may mount a small disk");
    Path disk = Files.createDirectory(folder.resolve("disk"));
    run("mount", "-t", "tmpfs", "-o", "size=8m,mode=777", "tmpfs", disk.toString());
    try {
      Path place = Files.createDirectory(disk.resolve("place"));
      run("chown", "nobody", place.toString());
      run("chmod", "a+rx", folder.toString());
      server.execute("create tablespace small location '" + place + "'");
      server.execute("alter role ralph set default_tablespace = small");
      AtomicInteger written = new AtomicInteger();
      try (FrameStore store = open(server.address("small"))) {
        String text = "x".repeat(50_000) + UUID.randomUUID();
        assertFails(
            Code.FULL,
            "No space left",
            () -> {
              while (true) {
                append(store, random(text));
                written.incrementAndGet();
              }
            });
        assertThat(written).hasValueGreaterThan(5);
        assertThat(contents(store)).hasSize(written.get());
        run("mount", "-o", "remount,size=32m", disk.toString());
        append(store, "goes on");
        assertThat(contents(store)).hasSize(written.get() + 1).endsWith("goes on");
      }
      server.execute("drop schema small cascade");
      server.execute("drop tablespace small");
    } finally {
      run("umount", "-l", disk.toString());
    }
  }

  /** Returns random text, because the server compresses repetitive text. */
  private static String random(String like) {
    StringBuilder text = new StringBuilder();
    while (text.length() < like.length()) {
      text.append(UUID.randomUUID());
    }
    return text.toString();
  }

  private static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertThat(process.waitFor()).as("%s", List.of(command)).isZero();
  }
}
