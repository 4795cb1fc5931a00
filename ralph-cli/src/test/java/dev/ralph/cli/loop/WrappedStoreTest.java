package dev.ralph.cli.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Loop;
import dev.ralph.Ralph;
import dev.ralph.StopReason;
import dev.ralph.cli.Main;
import dev.ralph.core.CommandAgent;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.file.FileStoreProvider;
import dev.ralph.tool.Tools;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands of agents on a store that the host has wrapped. */
@Timeout(300)
class WrappedStoreTest {

  private static final String KEY = "sealed:";

  @TempDir Path folder;

  @Test
  void wrappedFileStore_agentCommandsUseTheWrapper() throws Exception {
    try (Ralph ralph = Ralph.over(new SealedStore(file(store())))) {
      workOn(ralph);
    }
    assertSealed();
  }

  @Test
  void wrappingProvider_agentCommandsUseTheWrapper() throws Exception {
    try (Ralph ralph =
        Ralph.builder()
            .providers(List.of(new SealedStoreProvider()))
            .address(store().toString())
            .open()) {
      workOn(ralph);
    }
    assertSealed();
  }

  @Test
  void providersOwnStore_isReachedAtItsLocation() {
    try (Ralph ralph = Ralph.open(store())) {
      assertThat(ralph.agentStore()).isEqualTo(ralph.log().info());
    }
  }

  private Path store() {
    return folder.resolve("store");
  }

  private static FrameStore file(Path folder) {
    return new FileStoreProvider().open(StoreConfig.in(folder));
  }

  private void workOn(Ralph ralph) throws Exception {
    ralph.session("a").tasks().add("Wash the dishes");
    String command =
        String.join(
            " ",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1 -cp '" + System.getProperty("java.class.path") + "'",
            Main.class.getName());
    CommandAgent agent =
        CommandAgent.of("sh", "-c", command + " tasks && " + command + " task done t1 && echo ok");
    try (Loop loop =
        ralph
            .session("a")
            .loop(agent)
            .tools(Tools.mcp(""))
            .prompt("x")
            .directory(folder)
            .maxIterations(1)
            .build()) {
      assertThat(loop.run().reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    }
    List<String> said = new ArrayList<>();
    ralph.session("a").iterations().transcript(1, said::add);
    assertThat(String.join("", said)).contains("Wash the dishes", "ok");
    assertThat(ralph.session("a").tasks().list().open()).isEmpty();
  }

  private void assertSealed() {
    try (FrameStore raw = file(store());
        FrameCursor frames = raw.read(Query.of(TopicFilter.parse("ralph.*")))) {
      for (Frame frame = frames.next(); frame != null; frame = frames.next()) {
        assertThat(frame.content()).as(frame.toString()).startsWith(KEY);
      }
      assertThat(frames.position()).isNotEqualTo(Position.START);
    }
    assertThat(Files.isDirectory(store())).isTrue();
  }

  /** Opens a {@link SealedStore} with the name of the file store. */
  private static final class SealedStoreProvider implements FrameStoreProvider {

    @Override
    public String name() {
      return "file";
    }

    @Override
    public FrameStore open(StoreConfig config) {
      return new SealedStore(new FileStoreProvider().open(config));
    }
  }

  /** Stores contents in another form, like a store that encrypts contents. */
  private static final class SealedStore extends ForwardingStore {

    SealedStore(FrameStore store) {
      super(store);
    }

    private static Draft seal(Draft draft) {
      byte[] bytes = draft.content().getBytes(StandardCharsets.UTF_8);
      String sealed = KEY + Base64.getEncoder().encodeToString(bytes);
      return Draft.of(draft.topic(), draft.meta(), sealed);
    }

    private static @Nullable Frame unseal(@Nullable Frame frame) {
      return frame == null ? null : new OpenFrame(frame);
    }

    @Override
    public Appended append(Batch batch) {
      List<Draft> drafts = batch.drafts().stream().map(SealedStore::seal).toList();
      Batch sealed = Batch.of(batch.id(), drafts).synced(batch.isSynced());
      Batch.Condition condition = batch.condition();
      Appended done = super.append(condition == null ? sealed : sealed.onlyIf(condition));
      Function<Frame, Frame> open = OpenFrame::new;
      return done.isConflict()
          ? done
          : Appended.of(done.frames().stream().map(open).toList(), done.position());
    }

    @Override
    public Optional<Frame> get(String id) {
      return super.get(id).map(OpenFrame::new);
    }

    @Override
    public Optional<Frame> last(TopicFilter filter) {
      return super.last(filter).map(OpenFrame::new);
    }

    @Override
    public Optional<List<Frame>> findBatch(String batchId, Position since) {
      Function<Frame, Frame> open = OpenFrame::new;
      return super.findBatch(batchId, since).map(found -> found.stream().map(open).toList());
    }

    @Override
    public FrameCursor read(Query query) {
      FrameCursor inner = super.read(query);
      return new FrameCursor() {
        @Override
        public @Nullable Frame next() {
          return unseal(inner.next());
        }

        @Override
        public Position position() {
          return inner.position();
        }

        @Override
        public List<Damage> damage() {
          return inner.damage();
        }

        @Override
        public void close() {
          inner.close();
        }
      };
    }

    @Override
    public Follower follow(Query query) {
      Follower inner = super.follow(query);
      return new Follower() {
        @Override
        public @Nullable Frame poll(Duration timeout) throws InterruptedException {
          return unseal(inner.poll(timeout));
        }

        @Override
        public void wakeup() {
          inner.wakeup();
        }

        @Override
        public Position position() {
          return inner.position();
        }

        @Override
        public List<Damage> damage() {
          return inner.damage();
        }

        @Override
        public void close() {
          inner.close();
        }
      };
    }
  }

  /** A frame whose content the wrapper reads. */
  private record OpenFrame(Frame inner) implements Frame {

    @Override
    public String id() {
      return inner.id();
    }

    @Override
    public Topic topic() {
      return inner.topic();
    }

    @Override
    public Position position() {
      return inner.position();
    }

    @Override
    public Instant time() {
      return inner.time();
    }

    @Override
    public Meta meta() {
      return inner.meta();
    }

    @Override
    public String content() {
      byte[] bytes = Base64.getDecoder().decode(inner.content().substring(KEY.length()));
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }
}
