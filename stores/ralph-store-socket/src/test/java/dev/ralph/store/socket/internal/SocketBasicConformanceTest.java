package dev.ralph.store.socket.internal;

import dev.ralph.tck.CloseConformance;
import dev.ralph.tck.ConditionConformance;
import dev.ralph.tck.DeclarationConformance;
import dev.ralph.tck.FollowConformance;
import dev.ralph.tck.LogConformance;
import dev.ralph.tck.StoreFixture;
import org.junit.jupiter.api.Nested;

/** Runs the suites of the TCK in which a socket differs most from its store. */
class SocketBasicConformanceTest {

  @Nested
  class Declaration extends DeclarationConformance {
    @Override
    protected StoreFixture fixture() {
      return new SocketStoreConformanceTest.SocketFixture();
    }
  }

  @Nested
  class Log extends LogConformance {
    @Override
    protected StoreFixture fixture() {
      return new SocketStoreConformanceTest.SocketFixture();
    }
  }

  @Nested
  class Condition extends ConditionConformance {
    @Override
    protected StoreFixture fixture() {
      return new SocketStoreConformanceTest.SocketFixture();
    }
  }

  @Nested
  class Follow extends FollowConformance {
    @Override
    protected StoreFixture fixture() {
      return new SocketStoreConformanceTest.SocketFixture();
    }
  }

  @Nested
  class Close extends CloseConformance {
    @Override
    protected StoreFixture fixture() {
      return new SocketStoreConformanceTest.SocketFixture();
    }
  }
}
