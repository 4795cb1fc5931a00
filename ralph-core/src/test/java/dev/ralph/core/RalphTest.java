package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Control;
import dev.ralph.Control.RunningLoop;
import dev.ralph.Iteration;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Usage;
import dev.ralph.core.internal.control.ControlState;
import dev.ralph.core.internal.control.LedgerControl;
import dev.ralph.core.internal.control.RunToken;
import dev.ralph.core.internal.iteration.LedgerIterationLog;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.log.View;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RalphTest {

  /** A provider that always opens the same store, as two processes open one folder. */
  private static final class Shared implements FrameStoreProvider {
    private final FrameStore store = new MemoryStoreProvider().open(StoreConfig.in(null));

    @Override
    public String name() {
      return "shared";
    }

    @Override
    public FrameStore open(StoreConfig config) {
      return store;
    }

    Ralph open() {
      return Ralph.builder().store("shared").providers(List.of(this)).open();
    }
  }

  // ---- opening

  @Test
  void store_isSelectedByName() {
    try (Ralph ralph = new Shared().open()) {
      assertThat(ralph.log().info().kind()).isEqualTo("memory");
    }
  }

  @Test
  void address_namesKindAndFolder() {
    try (Ralph ralph = builder().address("shared:some/folder").open()) {
      assertThat(ralph.log().info().kind()).isEqualTo("memory");
    }
    assertThatThrownBy(() -> builder().address("shared:"))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.INVALID))
        .hasMessageContaining("'shared:' has no folder");
  }

  @Test
  void serverAddress_reachesProviderUnchanged() {
    List<StoreConfig> configs = new ArrayList<>();
    FrameStoreProvider provider =
        new FrameStoreProvider() {
          @Override
          public String name() {
            return "db";
          }

          @Override
          public FrameStore open(StoreConfig config) {
            configs.add(config);
            return new MemoryStoreProvider().open(StoreConfig.in(null));
          }
        };
    String address = "db://host:5432/team?schema=a";
    Ralph.builder().providers(List.of(provider)).address(address).existing().open().close();
    assertThat(configs).extracting(StoreConfig::server).containsExactly(address);
    assertThat(configs).extracting(StoreConfig::directory).containsOnlyNulls();
    assertThat(configs).extracting(StoreConfig::mayCreate).containsExactly(false);
  }

  @Test
  void memoryStoreWithServerAddress_isRejected() {
    assertThatThrownBy(() -> Ralph.open("memory://host/x"))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.INVALID))
        .hasMessageContaining("remove memory://host/x");
  }

  @Test
  void addressAsFolder_isRejected() {
    assertThatThrownBy(() -> builder().store("shared").directory(Path.of("shared:x")).open())
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.INVALID))
        .hasMessageContaining("'shared:x' is the address of a store, not a folder");
  }

  @Test
  void memoryStoreWithFolder_isRejected() {
    assertThatThrownBy(() -> Ralph.open("memory:/some/folder"))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.INVALID))
        .hasMessageContaining("has no location; remove /some/folder");
  }

  private static Ralph.Builder builder() {
    return Ralph.builder().providers(List.of(new Shared()));
  }

  @Test
  void missingOrDuplicateProvider_isListedInTheError() {
    assertThatThrownBy(() -> Ralph.builder().store("other").providers(List.of(new Shared())).open())
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.UNSUPPORTED))
        .hasMessageContaining("'other'")
        .hasMessageContaining("shared (" + Shared.class.getName() + ")");
    assertThatThrownBy(
            () ->
                Ralph.builder()
                    .store("shared")
                    .providers(List.of(new Shared(), new Shared()))
                    .open())
        .hasMessageContaining("more than one");
    assertThatThrownBy(() -> Ralph.builder().store("shared").providers(List.of()).open())
        .hasMessageContaining("check the class path for the module of the store");
  }

  @Test
  void missingFileStore_isNamedWhenOpeningAFolder() {
    assertThatThrownBy(() -> Ralph.open(Path.of("nowhere")))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.UNSUPPORTED))
        .hasMessageContaining("'file'");
  }

  @Test
  void provider_getsFolderAndMayCreate() {
    List<StoreConfig> configs = new ArrayList<>();
    FrameStoreProvider provider =
        new FrameStoreProvider() {
          @Override
          public String name() {
            return "file";
          }

          @Override
          public FrameStore open(StoreConfig config) {
            configs.add(config);
            return new MemoryStoreProvider().open(StoreConfig.in(null));
          }
        };
    Ralph.Builder builder = Ralph.builder().directory(Path.of("some")).providers(List.of(provider));
    builder.open().close();
    builder.existing().open().close();
    assertThat(configs).extracting(StoreConfig::mayCreate).containsExactly(true, false);
    assertThat(configs).extracting(StoreConfig::directory).containsOnly(Path.of("some"));
    configs.clear();
    builder.address("file:other").open().close();
    assertThat(configs).extracting(StoreConfig::directory).containsOnly(Path.of("other"));
  }

  @Test
  void closedRalph_rejectsAllCalls() {
    Ralph ralph = Ralph.inMemory();
    Session session = ralph.session("auth");
    ralph.close();
    ralph.close();
    assertThatThrownBy(() -> session.tasks().list())
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.CLOSED));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a.b", "a b", "../x", "a\n", "ä", "$(x)", "a/b", "*"})
  void invalidSessionName_isRejected(String name) {
    try (Ralph ralph = Ralph.inMemory()) {
      assertThatThrownBy(() -> ralph.session(name))
          .isInstanceOfSatisfying(
              RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.INVALID))
          .hasMessageContaining("session name");
    }
  }

  // ---- custom views

  @Test
  void ownFold_isReadAtAnyMoment() {
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("auth");
      Fold<Map<String, Long>, Map<String, Long>> noteTypes =
          Fold.of(
              "test.note-types",
              TreeMap::new,
              (counts, frame) -> counts.merge(frame.meta().string("type"), 1L, Long::sum),
              Map::copyOf);
      View<Map<String, Long>> byType = ralph.view(Topic.of("ralph.auth.note"), noteTypes);
      session.notes().add("tip", "a");
      Frame then = ralph.log().last(TopicFilter.all()).orElseThrow();
      session.notes().add("tip", "b");
      session.notes().add("stuck", "c");
      assertThat(byType.current()).isEqualTo(Map.of("tip", 2L, "stuck", 1L));
      assertThat(byType.at(then)).isEqualTo(Map.of("tip", 1L));
      assertThat(ralph.view(TopicFilter.all(), noteTypes).at(then)).isEqualTo(Map.of("tip", 1L));
    }
  }

  @Test
  void foreignTopics_areNoSessions() {
    try (Ralph ralph = Ralph.inMemory()) {
      List<String> topics =
          List.of("ralph", "ralphs.x.y", "mail.x.task", "ralph.solo", "ralph.a.b.c");
      for (String topic : topics) {
        Draft draft = Draft.of(Topic.of(topic), Meta.empty());
        ralph.log().append(Batch.of(topic.replace('.', '-'), List.of(draft)));
      }
      assertThat(ralph.sessions()).containsExactly("a");
    }
  }

  // ---- concurrency

  @Test
  void concurrentThreads_claimEachTaskOnce() throws Exception {
    try (Ralph ralph = Ralph.inMemory()) {
      claimAll(List.of(ralph));
    }
  }

  @Test
  void concurrentOpenings_claimEachTaskOnce() throws Exception {
    Shared store = new Shared();
    try (Ralph one = store.open();
        Ralph other = store.open()) {
      claimAll(List.of(one, other));
      assertThat(one.session("auth").tasks().list()).hasSize(200);
      assertThat(other.session("auth").tasks().list()).hasSize(200);
    }
  }

  private static void claimAll(List<Ralph> processes) throws Exception {
    int tasks = 200;
    int workers = 8;
    ExecutorService threads = Executors.newFixedThreadPool(workers);
    try {
      for (int i = 1; i <= tasks; i++) {
        processes.get(i % processes.size()).session("auth").tasks().add("task " + i);
      }
      List<Callable<List<String>>> work = new ArrayList<>();
      for (int i = 0; i < workers; i++) {
        Session session = processes.get(i % processes.size()).session("auth");
        String owner = "worker " + i;
        boolean inOrder = i % 2 == 0;
        work.add(
            () -> {
              List<String> won = new ArrayList<>();
              for (int n = 1; n <= tasks; n++) {
                String ref = "t" + n;
                (inOrder
                        ? session.tasks().claimNext(owner, Duration.ofHours(1))
                        : session.tasks().claim(ref, owner, Duration.ofHours(1)))
                    .ifPresent(claim -> won.add(claim.taskId()));
              }
              return won;
            });
      }
      List<String> won = new ArrayList<>();
      for (Future<List<String>> one : threads.invokeAll(work, 60, TimeUnit.SECONDS)) {
        won.addAll(one.get());
      }
      assertThat(won).doesNotHaveDuplicates().hasSize(tasks);
    } finally {
      threads.shutdownNow();
      assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  // ---- loop records

  @Test
  void runningLoop_isVisibleAndExclusive() {
    try (Ralph ralph = Ralph.inMemory()) {
      LedgerControl control = (LedgerControl) ralph.session("auth").control();
      assertThat(control.running()).isEmpty();
      ProcessIdentity self = ProcessIdentity.current();
      RunToken loop = RunToken.take();
      RunToken other = RunToken.take();
      control.startLoop(self, loop, 1, 5, 1, null);
      assertThat(control.running())
          .contains(new RunningLoop(self.host(), self.pid(), true, 1, 5, 1, null));
      assertThatThrownBy(() -> control.startLoop(self, other, 1, 5, 1, null))
          .hasMessageContaining("already");
      control.stop("enough");
      assertThat(control.steering().stop()).isEqualTo(new ControlState.Stop("enough"));
      control.endLoop(loop, "stopped", null);
      loop.release();
      other.release();
      assertThat(control.running()).isEmpty();
      assertThat(control.lastEnd()).map(Control.LoopEnd::reason).contains("stopped");
    }
  }

  @Test
  void claimedCompletion_isRefusedOrGranted() {
    try (Ralph ralph = Ralph.inMemory()) {
      LedgerControl control = (LedgerControl) ralph.session("auth").control();
      control.complete();
      control.refuseCompletion(List.of("tests failed"));
      assertThat(control.steering().claimed()).isFalse();
      assertThat(control.steering().refusals()).containsExactly("tests failed");
      control.complete();
      assertThat(control.steering().claimed()).isTrue();
      ralph.session("auth").tasks().add("one more");
      assertThat(control.grantCompletion()).isFalse();
      ralph.session("auth").tasks().complete("t1");
      assertThat(control.grantCompletion()).isTrue();
      assertThat(control.isCompleted()).isTrue();
    }
  }

  @Test
  void transcript_holdsOutputOfOnlyItsIteration() {
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("auth");
      LedgerIterationLog iterations = (LedgerIterationLog) session.iterations();
      for (int i = 1; i <= 2; i++) {
        assertThat(iterations.start(null, ProcessIdentity.current(), 0, null).number())
            .isEqualTo(i);
        iterations.keep(List.of(iterations.part(i, "first of " + i, false)));
        iterations.keep(List.of(iterations.part(i, "second of " + i, false)));
      }
      Frame then = ralph.log().last(TopicFilter.all()).orElseThrow();
      iterations.keep(List.of(iterations.part(2, "third of 2", false)));
      iterations.complete(2, Iteration.Status.SUCCESS, null, Usage.NONE);

      assertThat(iterations.transcript(1)).isEqualTo("first of 1\nsecond of 1\n");
      assertThat(iterations.transcript(2)).isEqualTo("first of 2\nsecond of 2\nthird of 2\n");
      assertThat(session.at(then).iterations().transcript(2))
          .isEqualTo("first of 2\nsecond of 2\n");
      assertThat(session.at(then).iterations().last().orElseThrow().status())
          .isEqualTo(Iteration.Status.RUNNING);
      assertThatThrownBy(() -> iterations.transcript(3)).hasMessageContaining("no iteration 3");
    }
  }
}
