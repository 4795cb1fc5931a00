package dev.ralph.tck;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import dev.ralph.tck.BrokenStores.Opener;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.discovery.ClassSelector;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs the TCK on a store until the first failure. */
final class KitRun implements TestExecutionListener {

  /** The fixture of the present run; static, because JUnit creates the test classes. */
  static volatile StoreFixture current;

  private static final String SEED = "ralph.tck.seed";

  private final CancellationToken end = CancellationToken.create();
  private final List<String> passed = new ArrayList<>();
  private final List<String> skipped = new ArrayList<>();
  private @Nullable String firstFailure;
  private @Nullable Throwable failure;

  private KitRun() {}

  /** Runs the whole TCK on the stores of an opener. */
  static KitRun on(Opener opener) {
    return of(WholeKit.class, fixture(opener));
  }

  /** Runs a suite, one of the classes below. */
  static KitRun of(Class<?> suite, StoreFixture fixture) {
    return of(selectClass(suite), every -> FilterResult.included("every test"), fixture);
  }

  /** Runs one test of a suite, given as suite and method. */
  static KitRun of(Class<?> suite, String test, StoreFixture fixture) {
    return of(
        selectClass(suite),
        each ->
            FilterResult.includedIf(
                name(each.getSource()).map(name -> name.equals(test)).orElse(true)),
        fixture);
  }

  private static synchronized KitRun of(
      ClassSelector suite, PostDiscoveryFilter tests, StoreFixture fixture) {
    current = fixture;
    KitRun run = new KitRun();
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request().selectors(suite).filters(tests).build();
    // A fixed seed, because the default seed changes daily and with it the detected defects.
    boolean seedless = System.getProperty(SEED) == null;
    if (seedless) {
      System.setProperty(SEED, "1");
    }
    try {
      LauncherFactory.create()
          .execute(
              LauncherExecutionRequestBuilder.request(request)
                  .cancellationToken(run.end)
                  .listeners(run)
                  .build());
    } finally {
      if (seedless) {
        System.clearProperty(SEED);
      }
    }
    return run;
  }

  static StoreFixture fixture(Opener opener) {
    return new RamDiskFixture(provider(opener));
  }

  private static FrameStoreProvider provider(Opener opener) {
    return new FrameStoreProvider() {

      @Override
      public String name() {
        return RamDiskProvider.NAME;
      }

      @Override
      public FrameStore open(StoreConfig config) {
        Path directory = Objects.requireNonNull(config.directory());
        RamDisk disk = RamDisk.open(directory, config.mayCreate());
        return opener.open(disk, config);
      }
    };
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (result.getStatus() == Status.SUCCESSFUL) {
      passed.add(name(test));
    } else if (result.getStatus() == Status.ABORTED) {
      skipped.add(name(test));
    } else if (firstFailure == null) {
      firstFailure = name(test);
      failure = result.getThrowable().orElse(null);
      end.cancel();
    }
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    if (firstFailure == null) {
      skipped.add(name(test));
    }
  }

  private static String name(TestIdentifier test) {
    return name(test.getSource()).orElse(test.getDisplayName());
  }

  /** Returns the suite and method of a test; empty for a suite. */
  private static Optional<String> name(Optional<TestSource> source) {
    return source
        .filter(MethodSource.class::isInstance)
        .map(MethodSource.class::cast)
        .map(method -> method.getJavaClass().getSimpleName() + "." + method.getMethodName());
  }

  /** Returns the first failed test as suite and method, or null. */
  @Nullable String firstFailure() {
    return firstFailure;
  }

  /** Returns the first failure, or null. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** Returns the tests that were skipped or aborted before the first failure. */
  List<String> skipped() {
    return skipped;
  }

  /** Returns the passed tests as suite and method. */
  List<String> passed() {
    return passed;
  }

  /** The whole TCK on the store of the present run. */
  static final class WholeKit extends FrameStoreConformance {
    @Override
    protected StoreFixture fixture() {
      return current;
    }
  }

  /** The model suite on the store of the present run. */
  static final class Programs extends ModelConformance {
    @Override
    protected StoreFixture fixture() {
      return current;
    }
  }

  /** The reopen suite on the store of the present run. */
  static final class Reopening extends ReopenConformance {
    @Override
    protected StoreFixture fixture() {
      return current;
    }
  }
}
