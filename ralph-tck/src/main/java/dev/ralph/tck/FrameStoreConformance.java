package dev.ralph.tck;

import org.junit.jupiter.api.Nested;

/**
 * The whole contract, suite by suite. The test of a store is one class:
 *
 * <pre>{@code
 * class MyStoreTest extends FrameStoreConformance {
 *   @Override
 *   protected StoreFixture fixture() {
 *     return new MyStoreFixture();
 *   }
 * }
 * }</pre>
 *
 * <p>Each suite is also a class of its own, for a store that is not there yet.
 */
public abstract class FrameStoreConformance {

  /** Returns what is known of the store under test. */
  protected abstract StoreFixture fixture();

  @Nested
  final class Declaration extends DeclarationConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  final class Log extends LogConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  final class Id extends IdConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  final class Read extends ReadConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  final class Batch extends BatchConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  final class Condition extends ConditionConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  final class Import extends ImportConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  final class Content extends ContentConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  final class Concurrency extends ConcurrencyConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  final class Follow extends FollowConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  final class Close extends CloseConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  final class Interrupt extends InterruptConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  final class Snapshot extends SnapshotConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  final class Reopen extends ReopenConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  final class Process extends ProcessConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  final class Crash extends CrashConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }
}
