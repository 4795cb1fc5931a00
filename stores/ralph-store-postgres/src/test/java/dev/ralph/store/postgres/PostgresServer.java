package dev.ralph.store.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A local PostgreSQL server for tests, which stops with the JVM. The system property {@code
 * postgres.programs} names the folder with the programs of another version.
 */
public final class PostgresServer {

  private static final String ARCHIVE = "/postgres-linux-x86_64.txz";

  /** PostgreSQL refuses to run as root. */
  private static final String USER = "nobody";

  private static PostgresServer shared;
  private static Path unpacked;

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(PostgresServer::removeAll));
  }

  private final Path home;
  private final int port;
  private final String settings;
  private Connection connection;

  private PostgresServer(String settings) {
    this(settings, null);
  }

  private PostgresServer(String settings, @Nullable PostgresServer primary) {
    try {
      this.home = Files.createTempDirectory("ralph-postgres");
      this.port = freePort();
      this.settings = settings;
      if (primary != null) {
        follow(primary);
        return;
      }
      giveTo(home);
      call("initdb", "-D", data(), "-U", "ralph", "-A", "trust", "-E", "UTF8", "--locale=C", "-N");
      resume();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the server that the tests of this JVM share. The server does not sync to disk, because
   * the tests do not crash it.
   */
  public static synchronized PostgresServer shared() {
    if (shared == null) {
      shared = new PostgresServer(" -c fsync=off -c full_page_writes=off");
    }
    return shared;
  }

  /** Starts a server that syncs to disk, and so keeps acknowledged data in a crash. */
  public static PostgresServer start() {
    return new PostgresServer("");
  }

  /** Starts a standby server that replicates this server. */
  PostgresServer standby() {
    return new PostgresServer(settings, this);
  }

  private void follow(PostgresServer primary) throws IOException {
    call("pg_ctl", "-D", primary.data(), "-w", "-m", "fast", "stop");
    run(List.of("cp", "-a", primary.data(), data()));
    Files.createFile(home.resolve("data/standby.signal"));
    Files.writeString(
        home.resolve("data/postgresql.auto.conf"),
        "primary_conninfo = 'host=127.0.0.1 port=" + primary.port + " user=ralph'\n");
    giveTo(home);
    primary.resume();
    resume();
  }

  /** Returns the folder of the server's programs; unpacks the programs at the first call. */
  private static synchronized Path programs() {
    String given = System.getProperty("postgres.programs", "");
    if (!given.isEmpty()) {
      return Path.of(given);
    }
    if (unpacked == null) {
      try (InputStream in = PostgresServer.class.getResourceAsStream(ARCHIVE)) {
        unpacked = Files.createTempDirectory("ralph-postgres");
        Files.copy(Objects.requireNonNull(in, ARCHIVE), unpacked.resolve("postgres.txz"));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      run(List.of("tar", "-xJf", unpacked + "/postgres.txz", "-C", unpacked.toString()));
      giveTo(unpacked);
    }
    return unpacked.resolve("bin");
  }

  private static void removeAll() {
    if (shared != null) {
      shared.remove();
    }
    if (unpacked != null) {
      delete(unpacked);
    }
  }

  /** Makes the server's user the owner of a folder. */
  private static void giveTo(Path folder) {
    if (isRoot()) {
      run(List.of("chown", "-R", USER, folder.toString()));
    }
  }

  public void resume() {
    call(
        "pg_ctl",
        "-D",
        data(),
        "-w",
        "-l",
        home.resolve("log").toString(),
        "-o",
        "-p " + port + " -h 127.0.0.1 -k " + home + " -c max_connections=300 " + settings,
        "start");
  }

  /** Stops the server without a checkpoint, as a crash does. */
  public void crash() {
    call("pg_ctl", "-D", data(), "-w", "-m", "immediate", "stop");
  }

  public void remove() {
    crash();
    delete(home);
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      // the rest stays in the folder for temporary files
    }
  }

  private String data() {
    return home.resolve("data").toString();
  }

  public int port() {
    return port;
  }

  /** Creates a role that may create schemas and has to authenticate with a password. */
  public void addRole(String role, String password) {
    Path rules = Path.of(data()).resolve("pg_hba.conf");
    try {
      String others = Files.readString(rules);
      Files.writeString(rules, "host all " + role + " 127.0.0.1/32 scram-sha-256\n" + others);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    execute("create role " + role + " login password '" + password + "'");
    execute("grant create on database postgres to " + role);
    execute("select pg_reload_conf()");
  }

  public String address(String schema) {
    return "postgres://ralph@127.0.0.1:" + port + "/postgres?schema=" + schema;
  }

  public Connection connect() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=ralph");
  }

  public void execute(String sql) {
    try (Connection once = connect()) {
      execute(once, sql);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  /** Drops a schema. Keeps its connection open, because connecting would dominate short tests. */
  synchronized void drop(String schema) {
    try {
      if (connection == null) {
        connection = connect();
      }
      execute(connection, "drop schema if exists " + schema + " cascade");
    } catch (SQLException e) {
      throw new AssertionError(schema, e);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private void call(String program, String... arguments) {
    List<String> command = new ArrayList<>();
    if (isRoot()) {
      command.addAll(List.of("setpriv", "--reuid=" + USER, "--clear-groups"));
    }
    command.add(programs().resolve(program).toString());
    command.addAll(List.of(arguments));
    run(command);
  }

  private static void run(List<String> command) {
    try {
      Path output = Files.createTempFile("ralph-postgres", ".log");
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      boolean ended = process.waitFor(2, TimeUnit.MINUTES);
      String text = Files.readString(output);
      Files.delete(output);
      if (!ended || process.exitValue() != 0) {
        throw new AssertionError(command + " failed: " + text);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
