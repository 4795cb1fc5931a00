package dev.ralph.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** Counts the statements that the server executes. */
@EnabledOnOs(
    value = OS.LINUX,
    architectures = "amd64") // the server binaries exist only for this platform
@Timeout(120)
class PostgresRoundTripsTest {

  private final PostgresServer server = PostgresServer.shared();
  private final String schema = "t" + UUID.randomUUID().toString().replace("-", "");
  private final Thread self = Thread.currentThread();

  /** The statements that this thread executed. */
  private final List<String> executed = new ArrayList<>();

  private final PGSimpleDataSource source =
      new PGSimpleDataSource() {
        @Override
        public Connection getConnection() throws SQLException {
          return counted(Connection.class, super.getConnection(), "");
        }
      };

  @TempDir Path folder;

  /** Returns a proxy that records the executed statements. */
  private <T> T counted(Class<T> type, T real, String sql) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().startsWith("execute") && Thread.currentThread() == self) {
                executed.add(sql);
              }
              try {
                Object result = method.invoke(real, arguments);
                return result instanceof PreparedStatement statement
                    ? counted(PreparedStatement.class, statement, (String) arguments[0])
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  @AfterEach
  void drop() {
    server.execute("drop schema if exists " + schema + " cascade");
  }

  @Test
  void idleIteration_executesFewStatements() {
    source.setURL("jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres?user=ralph");
    List<List<String>> iterations = new ArrayList<>();
    try (Ralph ralph = Ralph.over(PostgresStores.of(source, schema))) {
      Session session = ralph.session("s");
      session.tasks().add("Write it");
      session
          .loop(
              turn -> {
                iterations.add(List.copyOf(executed));
                executed.clear();
                return AgentResult.success();
              })
          .directory(folder)
          .failurePause(Duration.ZERO)
          .maxIdle(100)
          .maxIterations(10)
          .run();
    }
    // A slow iteration polls once a second, so the median is checked.
    iterations.sort(Comparator.comparing(List::size));
    List<String> usual = iterations.get(4);
    assertThat(usual).as(String.join("\n", usual)).hasSizeBetween(5, 9);
  }
}
