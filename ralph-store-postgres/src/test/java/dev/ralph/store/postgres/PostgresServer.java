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

/** A PostgreSQL server of the tests, on this machine only, which ends with them. */
public final class PostgresServer {

  private static final String ARCHIVE = "/postgres-linux-x86_64.txz";

  /** PostgreSQL refuses to run as root. */
  private static final String USER = "nobody";

  private static PostgresServer shared;

  private final Path home;
  private final Path data;
  private final int port;

  private PostgresServer(Path home, int port) {
    this.home = home;
    this.data = home.resolve("data");
    this.port = port;
  }

  /** Returns the server that the tests of this JVM share. */
  public static synchronized PostgresServer shared() {
    if (shared == null) {
      PostgresServer server = start();
      Runtime.getRuntime().addShutdownHook(new Thread(server::remove));
      shared = server;
    }
    return shared;
  }

  public static PostgresServer start() {
    try {
      Path home = Files.createTempDirectory("ralph-postgres");
      Path archive = home.resolve("postgres.txz");
      try (InputStream in = PostgresServer.class.getResourceAsStream(ARCHIVE)) {
        Files.copy(Objects.requireNonNull(in, ARCHIVE), archive);
      }
      run(List.of("tar", "-xJf", archive.toString(), "-C", home.toString()));
      Files.delete(archive);
      PostgresServer server = new PostgresServer(home, freePort());
      if (isRoot()) {
        run(List.of("chown", "-R", USER, home.toString()));
      }
      server.call(
          "initdb",
          "-D",
          server.data.toString(),
          "-U",
          "ralph",
          "-A",
          "trust",
          "-E",
          "UTF8",
          "--locale=C",
          "-N");
      server.resume();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public void resume() {
    call(
        "pg_ctl",
        "-D",
        data.toString(),
        "-w",
        "-l",
        home.resolve("log").toString(),
        "-o",
        "-p " + port + " -h 127.0.0.1 -k " + home + " -c max_connections=300",
        "start");
  }

  /** Ends the server as a crash does. */
  public void crash() {
    call("pg_ctl", "-D", data.toString(), "-w", "-m", "immediate", "stop");
  }

  public void remove() {
    crash();
    try (Stream<Path> files = Files.walk(home)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException left) {
      // in the folder for temporary files
    }
  }

  public int port() {
    return port;
  }

  public String address(String schema) {
    return "postgres://ralph@127.0.0.1:" + port + "/postgres?schema=" + schema;
  }

  public Connection connect() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=ralph");
  }

  public void execute(String sql) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  private void call(String program, String... arguments) {
    List<String> command = new ArrayList<>();
    if (isRoot()) {
      command.addAll(List.of("setpriv", "--reuid=" + USER, "--clear-groups"));
    }
    command.add(home.resolve("bin").resolve(program).toString());
    command.addAll(List.of(arguments));
    run(command);
  }

  private static void run(List<String> command) {
    try {
      Path said = Files.createTempFile("ralph-postgres", ".log");
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(said.toFile())
              .start();
      boolean ended = process.waitFor(2, TimeUnit.MINUTES);
      String text = Files.readString(said);
      Files.delete(said);
      if (!ended || process.exitValue() != 0) {
        throw new AssertionError(command + " failed: " + text);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
