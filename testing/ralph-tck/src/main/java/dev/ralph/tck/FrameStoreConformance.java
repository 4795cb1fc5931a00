package dev.ralph.tck;

import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestClassOrder;

/**
 * All suites of the TCK, simple ones first. The test of a store is a single class:
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
 * <p>Each suite is also a separate class, for stores under development.
 */
@TestClassOrder(ClassOrderer.OrderAnnotation.class)
public abstract class FrameStoreConformance {

  /** Returns the fixture of the store under test. */
  protected abstract StoreFixture fixture();

  @Nested
  @Order(1)
  final class Declaration extends DeclarationConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(2)
  final class Log extends LogConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(3)
  final class Read extends ReadConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(4)
  final class Batch extends BatchConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(5)
  final class Condition extends ConditionConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(6)
  final class Id extends IdConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(7)
  final class Follow extends FollowConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(8)
  final class Reopen extends ReopenConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(9)
  final class Import extends ImportConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(10)
  final class Content extends ContentConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(11)
  final class Snapshot extends SnapshotConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(12)
  final class Erase extends EraseConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(13)
  final class Compact extends CompactConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(14)
  final class Concurrency extends ConcurrencyConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(15)
  final class Close extends CloseConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(16)
  final class Interrupt extends InterruptConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(17)
  final class Volume extends VolumeConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(18)
  final class Model extends ModelConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(19)
  final class Damage extends DamageConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(20)
  final class ClassLoader extends ClassLoaderConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(21)
  final class Process extends ProcessConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(22)
  final class Crash extends CrashConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }

  @Nested
  @Order(23)
  final class Connection extends ConnectionConformance {
    @Override
    protected StoreFixture fixture() {
      return FrameStoreConformance.this.fixture();
    }
  }
}
