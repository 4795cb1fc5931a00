package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.AgentResult;
import dev.ralph.Iteration;
import dev.ralph.Message;
import dev.ralph.Note;
import dev.ralph.Question;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.internal.ForwardingCursor;
import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.DamagedException;
import dev.ralph.log.Draft;
import dev.ralph.log.Fold;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.log.View;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Frames with unreadable content in an otherwise intact log. */
class LostContentTest {

  private static final Topic TOPIC = Topic.of("ralph.auth.text");

  private final LostContents store =
      new LostContents(new MemoryStoreProvider().open(StoreConfig.in(null)));
  private final Ralph ralph = store.open();
  private int batches;

  @AfterEach
  void close() {
    ralph.close();
  }

  private List<Frame> append(String... contents) {
    List<Draft> drafts = new ArrayList<>();
    for (String content : contents) {
      drafts.add(Draft.of(TOPIC, Meta.empty(), content));
    }
    return store.append(Batch.of("batch-" + ++batches, drafts)).frames();
  }

  /** A fold that lists contents and supports snapshots. */
  private static final class Texts
      implements Fold<List<String>, List<String>>, Fold.Codec<List<String>> {
    @Override
    public String name() {
      return "test.texts";
    }

    @Override
    public int version() {
      return 1;
    }

    @Override
    public List<String> initial() {
      return new ArrayList<>();
    }

    @Override
    public List<String> apply(List<String> state, Frame frame) {
      state.add(frame.content());
      return state;
    }

    @Override
    public List<String> result(List<String> state) {
      return List.copyOf(state);
    }

    @Override
    public Optional<Codec<List<String>>> codec() {
      return Optional.of(this);
    }

    @Override
    public byte[] encode(List<String> state) {
      return String.join(" ", state).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public List<String> decode(byte[] bytes) {
      return new ArrayList<>(List.of(new String(bytes, StandardCharsets.UTF_8).split(" ")));
    }
  }

  private View<List<String>> texts() {
    return ralph.view(TOPIC, new Texts());
  }

  // ---- reported damage

  @Test
  void damage_isReportedUntilTheContentIsBack() throws InterruptedException {
    List<Frame> frames = append("one", "two", "three");
    store.lose(frames.get(0).id());
    store.lose(frames.get(2).id());
    assertThat(ralph.damage()).isEmpty();

    texts().current();
    texts().current();
    assertThat(ralph.damage())
        .extracting(Damage::description)
        .satisfiesExactly(
            first -> assertThat(first).contains(frames.get(0).id()),
            third -> assertThat(third).contains(frames.get(2).id()));

    Query last = Query.of(TopicFilter.all()).after(frames.get(1).position());
    try (Follower follower = ralph.log().follow(last)) {
      Frame followed = follower.poll(Duration.ZERO);
      assertThatThrownBy(followed::content).isInstanceOf(RalphException.class);
      store.putBack();
      assertThat(followed.content()).isEqualTo("three");
    }
    assertThat(ralph.damage()).hasSize(1);
  }

  @Test
  void lostContent_isReportedForAnyAccess() {
    Frame frame = append("one").get(0);
    store.lose(frame.id());

    Frame got = ralph.log().get(frame.id()).orElseThrow();
    assertThat(ralph.damage()).isEmpty();
    assertThatThrownBy(got::content).isInstanceOf(DamagedException.class);
    assertThat(ralph.damage()).hasSize(1);
    store.putBack();
    assertThat(got.content()).isEqualTo("one");
    assertThat(ralph.damage()).isEmpty();

    store.lose(frame.id());
    for (Frame each :
        List.of(
            ralph.log().last(TopicFilter.all()).orElseThrow(),
            ralph.log().findBatch("batch-1", Position.START).orElseThrow().get(0))) {
      assertThatThrownBy(each::content).isInstanceOf(DamagedException.class);
      assertThat(ralph.damage()).hasSize(1);
    }
  }

  @Test
  void frames_areEqualForAnyAccess() {
    try (Ralph plain = Ralph.inMemory()) {
      Frame appended = plain.append(TOPIC, Meta.empty(), "one");
      try (FrameCursor cursor = plain.log().read(Query.of(TopicFilter.all()))) {
        assertThat(cursor.next()).isEqualTo(appended);
      }
      assertThat(plain.log().get(appended.id())).contains(appended);
      assertThat(plain.log().last(TopicFilter.all())).contains(appended);
    }
  }

  @Test
  void damageOfLog_isReported() {
    Damage damage = new Damage("log", 0, 10, 1, "overwritten");
    FrameStore damaged =
        new ForwardingStore(store) {
          @Override
          public FrameCursor read(Query query) {
            return new ForwardingCursor(super.read(query)) {
              @Override
              public List<Damage> damage() {
                return List.of(damage);
              }
            };
          }
        };
    try (Ralph other = Ralph.over(damaged)) {
      other.session("auth").tasks().list();
      assertThat(other.damage()).containsExactly(damage);
    }
  }

  // ---- views

  @Test
  void viewWithLostFrame_continuesAndReportsDamage() {
    List<Frame> frames = append("a", "b", "c");
    store.lose(frames.get(1).id());
    View<List<String>> view = texts();

    assertThat(view.current()).containsExactly("a", "c");
    append("d");
    assertThat(view.current()).containsExactly("a", "c", "d");
    assertThat(view.damage())
        .singleElement()
        .satisfies(
            damage -> {
              assertThat(damage.file()).isEqualTo("content");
              assertThat(damage.frames()).isEqualTo(1);
              assertThat(damage.description()).contains(frames.get(1).id(), "put it back");
              assertThat(damage).asString().startsWith("content: of frame ");
            });
  }

  @Test
  void viewOfThePast_continuesWithoutLostFrame() {
    List<Frame> frames = append("a", "b", "c");
    store.lose(frames.get(1).id());

    View<List<String>> atFrame = texts();
    assertThat(atFrame.at(frames.get(1))).containsExactly("a");
    assertThat(atFrame.damage()).hasSize(1);
    View<List<String>> atTime = texts();
    assertThat(atTime.at(frames.get(2).time())).containsExactly("a", "c");
    assertThat(atTime.damage()).hasSize(1);
  }

  @Test
  void restoredContent_isSeenByTheNextView() {
    String[] many = IntStream.range(0, 5_000).mapToObj(i -> "text" + i).toArray(String[]::new);
    store.lose(append(many).get(17).id());
    View<List<String>> before = texts();
    assertThat(before.current()).hasSize(4_999).doesNotContain("text17");
    append("more");
    assertThat(before.current()).hasSize(5_000);
    View<List<String>> meanwhile = texts();
    assertThat(meanwhile.current()).hasSize(5_000);
    assertThat(meanwhile.damage()).as("still damaged").hasSize(1);

    store.putBack();

    View<List<String>> after = texts();
    assertThat(after.current()).hasSize(5_001).contains("text17");
    assertThat(after.damage()).isEmpty();
  }

  static List<RalphException> passingFailures() {
    return List.of(RalphException.io("the disk does not answer"), RalphException.closed("it"));
  }

  @ParameterizedTest
  @MethodSource("passingFailures")
  void temporaryReadFailure_isNotDamage(RalphException failure) {
    store.fail(append("a", "b").get(0).id(), failure);
    View<List<String>> view = texts();

    assertThatThrownBy(view::current).isSameAs(failure);
    assertThat(view.damage()).isEmpty();
    store.putBack();
    assertThat(view.current()).containsExactly("a", "b");
  }

  @Test
  void failingFold_stillFails() {
    append("a");
    View<Integer> view =
        ralph.view(
            TOPIC,
            Fold.of(
                "test.failing",
                () -> 0,
                (state, frame) -> {
                  throw RalphException.damaged("something else");
                },
                state -> state));

    assertThatThrownBy(view::current).hasMessage("something else");
    assertThat(view.damage()).isEmpty();
  }

  // ---- sessions

  @Test
  void lostFrames_leaveTheRemainingNumbers() {
    Session session = ralph.session("auth");
    Task task = session.tasks().add("large");
    session.tasks().add("small");
    Message message = session.inbox().send("large");
    session.inbox().send("small");
    Note note = session.notes().add("tip", "large");
    session.notes().add("tip", "small");
    Question asked = session.questions().ask("large");
    Question answered = session.questions().ask("small");
    session.questions().answer("q2", "large");
    for (String id : List.of(task.id(), message.id(), note.id(), asked.id())) {
      store.lose(id);
    }
    store.lose(store.last(TopicFilter.parse("ralph.auth.question")).orElseThrow().id());

    try (Ralph again = store.open()) {
      Session reopened = again.session("auth");
      assertThat(reopened.tasks().list()).extracting(Task::number).containsExactly(2);
      assertThat(reopened.tasks().add("third").number()).isEqualTo(3);
      assertThat(reopened.tasks().complete("t2").status()).isEqualTo(Task.Status.COMPLETED);
      assertThat(reopened.inbox().unread())
          .extracting(Message::number)
          .as("the second message, and the answer")
          .containsExactly(2, 3);
      assertThat(reopened.inbox().send("fourth").number()).isEqualTo(4);
      assertThat(reopened.inbox().markRead("m2").isRead()).isTrue();
      assertThat(reopened.notes().list()).extracting(Note::content).containsExactly("small");
      assertThat(reopened.questions().open())
          .extracting(Question::id)
          .containsExactly(answered.id());
      assertThat(reopened.questions().answer("q2", "again").answer()).isEqualTo("again");
    }
  }

  /** The frames have no numbers, like those of ralph.nu. */
  @Test
  void lostUnnumberedFrame_keepsTheNextNumbers() {
    List<Draft> drafts = new ArrayList<>();
    for (String content : List.of("a", "b", "c")) {
      Meta meta = Meta.of("action", "add").with("status", "remaining");
      drafts.add(Draft.of(Topic.of("ralph.auth.task"), meta, content));
    }
    store.lose(store.append(Batch.of("batch", drafts)).frames().get(1).id());

    assertThat(ralph.session("auth").tasks().list()).extracting(Task::number).containsExactly(1, 3);
  }

  @Test
  void loopWithLostFrames_runsAndTranscriptOmitsThem() {
    Session session = ralph.session("auth");
    session.tasks().add("small");
    store.lose(session.inbox().send("large").id());
    session
        .loop(
            turn -> {
              turn.session().tasks().complete("t1");
              return AgentResult.success();
            })
        .maxIterations(1)
        .run();
    assertThat(session.iterations().list())
        .extracting(Iteration::status)
        .containsExactly(Iteration.Status.SUCCESS);

    List<Draft> pieces = new ArrayList<>();
    for (String text : List.of("one", "two", "three")) {
      pieces.add(Draft.of(Topic.of("ralph.auth.output"), Meta.of("iteration", 1), text));
    }
    store.lose(store.append(Batch.of("batch", pieces)).frames().get(1).id());
    assertThat(session.iterations().transcript(1)).isEqualTo("one\nthree\n");
  }
}
