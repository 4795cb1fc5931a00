package dev.ralph.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Tests the shared time of hosts whose clocks differ. */
@EnabledOnOs(
    value = OS.LINUX,
    architectures = "amd64") // the server binaries exist only for this platform
class ServerClockTest {

  private static final Duration LEASE = Duration.ofSeconds(60);

  private final PostgresServer server = PostgresServer.shared();
  private final String schema = "t" + UUID.randomUUID().toString().replace("-", "");

  @AfterEach
  void drop() {
    server.execute("drop schema if exists " + schema + " cascade");
  }

  private Ralph open(Clock clock) {
    FrameStore store = new PostgresStoreProvider().open(StoreConfig.at(server.address(schema)));
    return Ralph.over(store, clock);
  }

  private static Clock shifted(long seconds) {
    return Clock.offset(Clock.systemUTC(), Duration.ofSeconds(seconds));
  }

  @Test
  void wrongHostClock_claimsNoHeldTask() {
    try (Ralph right = open(Clock.systemUTC());
        Ralph ahead = open(shifted(90));
        Ralph behind = open(shifted(-90))) {
      right.session("s").tasks().add("Only one");
      for (Ralph owner : List.of(right, ahead, behind)) {
        var claim = owner.session("s").tasks().claimNext("owner", LEASE).orElseThrow();
        for (Ralph other : List.of(right, ahead, behind)) {
          assertThat(other.session("s").tasks().ready()).isEmpty();
          assertThat(other.session("s").tasks().claimNext("other", LEASE)).isEmpty();
        }
        owner.session("s").tasks().release(claim);
      }
    }
  }

  @Test
  void wrongHostClock_warnsOnce() {
    List<String> warnings = new CopyOnWriteArrayList<>();
    Logger logger = Logger.getLogger("dev.ralph.store.postgres");
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            warnings.add(entry.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.addHandler(handler);
    try (Ralph ralph = open(shifted(90))) {
      ralph.session("s").tasks().add("One");
      ralph.session("s").tasks().ready();
      assertThat(Duration.between(Instant.now(), ralph.clock().instant()).abs())
          .isLessThan(Duration.ofSeconds(5));
    } finally {
      logger.removeHandler(handler);
    }
    assertThat(warnings).hasSize(1);
    assertThat(warnings.get(0)).contains(" s ahead of the clock of the server postgres://");
  }

  @Test
  void time_followsServerAndNeverGoesBack() {
    ServerClock clock = new ServerClock(1_000_000, System.nanoTime());
    Instant first = clock.instant();
    assertThat(first).isAfterOrEqualTo(Instant.ofEpochMilli(1_000_000));

    clock.update(2_000_000, System.nanoTime());
    Instant later = clock.instant();
    assertThat(later).isBetween(Instant.ofEpochMilli(2_000_000), Instant.ofEpochMilli(2_060_000));

    clock.update(1_500_000, System.nanoTime());
    assertThat(clock.instant()).isEqualTo(later);
  }

  @Test
  void slowAnswer_keepsOffset() {
    long begun = System.nanoTime();
    ServerClock clock = new ServerClock(1_000_000, begun);
    clock.update(1_000_000, begun - Duration.ofSeconds(60).toNanos());
    assertThat(clock.instant()).isBefore(Instant.ofEpochMilli(1_030_000));
  }
}
