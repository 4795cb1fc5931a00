package dev.ralph.store.postgres;

import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import dev.ralph.tck.FrameStoreConformance;
import dev.ralph.tck.StoreFixture;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(
    value = OS.LINUX,
    architectures = "amd64") // the server binaries exist only for this platform
@Tag("slow")
class PostgresStoreConformanceTest extends FrameStoreConformance {

  @Override
  protected StoreFixture fixture() {
    return new PostgresFixture();
  }

  static final class PostgresFixture implements StoreFixture {

    private final PostgresServer server = PostgresServer.shared();

    @Override
    public FrameStoreProvider provider() {
      return new PostgresStoreProvider();
    }

    @Override
    public Set<Capability> capabilities() {
      return EnumSet.complementOf(EnumSet.of(Capability.MINTS_IDS, Capability.DETECTS_DAMAGE));
    }

    private static String schema(Path temporary) {
      byte[] path = temporary.toString().getBytes(StandardCharsets.UTF_8);
      return "t" + UUID.nameUUIDFromBytes(path).toString().replace("-", "");
    }

    @Override
    public StoreConfig place(Path temporary) {
      return StoreConfig.at(server.address(schema(temporary)));
    }

    @Override
    public InetSocketAddress server() {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
    }

    @Override
    public StoreConfig placeBy(Path temporary, int port) {
      String direct = server.address(schema(temporary));
      return StoreConfig.at(direct.replace(":" + server.port(), ":" + port));
    }

    @Override
    public void awaitTheEndOfTheKilled() {
      String sql = "select from pg_stat_activity where application_name = 'ralph'";
      try (Connection connection = server.connect();
          Statement statement = connection.createStatement()) {
        while (statement.executeQuery(sql).next()) {
          Thread.onSpinWait();
        }
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void drop(Path temporary) {
      server.drop(schema(temporary));
    }

    @Override
    public String whereHeld(Path temporary, String text) {
      String schema = schema(temporary);
      String hex = HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
      try (Connection connection = server.connect();
          Statement statement = connection.createStatement()) {
        for (String table : List.of("scope", "topic", "batch", "frame", "snapshot")) {
          String sql =
              "select count(*) from "
                  + schema
                  + "."
                  + table
                  + " t where t::text like '%"
                  + text
                  + "%' or t::text like '%"
                  + hex
                  + "%'";
          try (ResultSet row = statement.executeQuery(sql)) {
            row.next();
            if (row.getLong(1) > 0) {
              return table;
            }
          }
        }
        return null;
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public boolean appendsUnderLock() {
      return false;
    }

    @Override
    public String flipOneBit(Path temporary, String mark, Random random) {
      return null;
    }
  }
}
