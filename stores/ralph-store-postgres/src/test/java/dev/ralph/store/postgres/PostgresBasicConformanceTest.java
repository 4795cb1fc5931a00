package dev.ralph.store.postgres;

import dev.ralph.tck.CompactConformance;
import dev.ralph.tck.ConcurrencyConformance;
import dev.ralph.tck.ConditionConformance;
import dev.ralph.tck.ConnectionConformance;
import dev.ralph.tck.CrashConformance;
import dev.ralph.tck.DeclarationConformance;
import dev.ralph.tck.LogConformance;
import dev.ralph.tck.StoreFixture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Runs the suites of the TCK in which a server differs most from files. */
@EnabledOnOs(
    value = OS.LINUX,
    architectures = "amd64") // the server binaries exist only for this platform
class PostgresBasicConformanceTest {

  @Nested
  class Declaration extends DeclarationConformance {
    @Override
    protected StoreFixture fixture() {
      return new PostgresStoreConformanceTest.PostgresFixture();
    }
  }

  @Nested
  class Log extends LogConformance {
    @Override
    protected StoreFixture fixture() {
      return new PostgresStoreConformanceTest.PostgresFixture();
    }
  }

  @Nested
  class Condition extends ConditionConformance {
    @Override
    protected StoreFixture fixture() {
      return new PostgresStoreConformanceTest.PostgresFixture();
    }
  }

  @Nested
  class Concurrency extends ConcurrencyConformance {
    @Override
    protected StoreFixture fixture() {
      return new PostgresStoreConformanceTest.PostgresFixture();
    }
  }

  @Nested
  class Crash extends CrashConformance {
    @Override
    protected StoreFixture fixture() {
      return new PostgresStoreConformanceTest.PostgresFixture();
    }
  }

  @Nested
  class Compact extends CompactConformance {
    @Override
    protected StoreFixture fixture() {
      return new PostgresStoreConformanceTest.PostgresFixture();
    }
  }

  @Nested
  class Connection extends ConnectionConformance {
    @Override
    protected StoreFixture fixture() {
      return new PostgresStoreConformanceTest.PostgresFixture();
    }
  }
}
