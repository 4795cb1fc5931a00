package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.Control.Activity;
import dev.ralph.Control.Activity.Kind;
import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Turn;
import dev.ralph.Verdict;
import dev.ralph.core.internal.text.ActivityText;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The activities of a loop while no agent works, in the log and as seen by other clients. */
@Timeout(120)
class LoopActivityTest extends LoopFixture {

  private static final Topic ACTIVITY = Topic.of("ralph.s.activity");

  /** The session as another client sees it. */
  private final Session other = ralph.session("s");

  /** Waits for recorded activities and returns them. */
  private List<Activity> awaitActivities() throws InterruptedException {
    return awaitActivities(ralph, other);
  }

  private static List<Activity> awaitActivities(Ralph ralph, Session session)
      throws InterruptedException {
    try (Follower follower = ralph.log().follow(Query.of(TopicFilter.of(ACTIVITY)))) {
      while (session.control().activities().isEmpty()) {
        follower.poll(Duration.ofMinutes(1));
      }
    }
    return session.control().activities();
  }

  private List<String> doing() {
    return ActivityText.of(other, other.control().running().orElse(null)).stream()
        .map(each -> each.agent() + ": " + each.doing())
        .toList();
  }

  @Test
  void longGate_isReportedAsActivity() throws Exception {
    List<Activity> seen = new CopyOnWriteArrayList<>();
    Gate slow =
        Gate.named(
            "mvn verify",
            context -> {
              seen.addAll(awaitActivities());
              seen.addAll(other.control().activities());
              return Verdict.passed();
            });

    loop(turn -> AgentResult.success()).doneWhen(now -> true).gate(slow).maxIterations(1).run();

    assertThat(seen)
        .hasSize(2)
        .allSatisfy(
            each -> {
              assertThat(each.kind()).isEqualTo(Kind.GATE);
              assertThat(each.about()).isEqualTo("mvn verify");
              assertThat(each.agent()).isZero();
              assertThat(ActivityText.words(each)).isEqualTo("gate mvn verify");
            });
    assertThat(Duration.between(seen.get(0).since(), saidAt()))
        .as("the activity began before its frame")
        .isGreaterThan(Duration.ofMillis(900));
    assertThat(actions("activity")).containsExactly("begin", "end");
    assertThat(other.control().activities()).isEmpty();
  }

  @Test
  void shortGateAndPause_areNotReported() {
    Gate quick = Gate.named("quick", context -> Verdict.passed());

    loop(turn -> turn.iteration() == 1 ? AgentResult.failure("no") : AgentResult.success())
        .doneWhen(now -> now.iterations().list().size() == 2)
        .gate(quick)
        .failurePause(Duration.ofMillis(50))
        .maxIterations(2)
        .run();

    assertThat(types()).contains(LoopEvent.Type.GATE);
    assertThat(actions("activity")).isEmpty();
  }

  @Test
  void pauseAfterFailure_reportsItsEnd() {
    List<Activity> seen = new CopyOnWriteArrayList<>();
    Loop[] loop = new Loop[1];
    loop[0] =
        loop(turn -> AgentResult.failure("no luck"))
            .failurePause(Duration.ofHours(1))
            .onEvent(
                event -> {
                  if (event.type() == LoopEvent.Type.WAITING) {
                    seen.addAll(other.control().activities());
                    loop[0].cancel("seen");
                  }
                })
            .build();
    loop[0].run();

    Activity waits = seen.get(0);
    assertThat(seen).hasSize(1);
    assertThat(waits.kind()).isEqualTo(Kind.FAILURE);
    assertThat(waits.until()).isEqualTo(waits.since().plus(Duration.ofHours(1)));
    assertThat(actions("activity")).containsExactly("begin", "end");
  }

  @Test
  void waitForAnswers_namesTheOpenQuestions() {
    List<String> seen = new CopyOnWriteArrayList<>();

    loop(turn -> {
          turn.session().questions().ask("Which port?");
          turn.session().questions().ask("Which host?");
          return AgentResult.success();
        })
        .waitForAnswers(true)
        .maxIterations(2)
        .onEvent(
            event -> {
              if (event instanceof LoopEvent.Waiting) {
                seen.addAll(doing());
                other.questions().open().stream()
                    .findFirst()
                    .ifPresent(open -> other.questions().answer("q" + open.number(), "any"));
              } else if (event.type() == LoopEvent.Type.ITERATION_STARTED) {
                seen.addAll(doing());
              }
            })
        .run();

    assertThat(seen)
        .startsWith("0: ", "0: waits for answers to q1, q2", "0: waits for an answer to q2", "0: ");
  }

  @Test
  void idleAgents_eachReportTheirReason() throws Exception {
    session.tasks().add("first");
    List<String> seen = new CopyOnWriteArrayList<>();
    CountDownLatch fails = new CountDownLatch(1);
    session.tasks().add("second");

    loop(turn -> {
          if (given(turn).equals("second") && fails.getCount() > 0) {
            fails.countDown();
            return AgentResult.failure("no luck");
          }
          if (given(turn).equals("first")) {
            awaitActivities();
            seen.addAll(doing());
          }
          turn.session().tasks().complete(taskOf(turn));
          return AgentResult.success();
        })
        .agents(3)
        .workspaces(Loop.WorkspaceBuilder::sharedDirectory)
        .failurePause(Duration.ofSeconds(2))
        .doneWhen(now -> true)
        .run();

    assertThat(seen)
        .hasSize(3)
        .filteredOn(each -> each.endsWith("waits after a failure"))
        .hasSize(1);
    assertThat(seen).filteredOn(each -> each.endsWith(": ")).isNotEmpty();
  }

  private static String taskOf(Turn turn) {
    Iteration running = turn.session().iterations().running(turn.agent()).orElseThrow();
    return String.valueOf(running.task());
  }

  private static String given(Turn turn) {
    return turn.session().tasks().get(taskOf(turn)).content();
  }

  @Test
  void killedLoop_hasNoActivity() throws Exception {
    ProcessIdentity killed = new ProcessIdentity(ProcessIdentity.current().host(), 99_999_999, 1);
    append("control", killed.in(Meta.of("action", "loop_start")).with("run", "killed"));
    append(
        "activity",
        Meta.of("action", "begin").with("run", "killed").with("kind", "gate").with("about", "x"));
    List<Activity> seen = new CopyOnWriteArrayList<>();

    assertThat(other.control().running()).isPresent();
    assertThat(other.control().activities()).isEmpty();
    loop(turn -> {
          seen.addAll(other.control().activities());
          return AgentResult.success();
        })
        .maxIterations(1)
        .run();
    assertThat(seen).isEmpty();
    assertThat(prompts).hasSize(1);
  }

  @Test
  void unknownActivityFrames_areIgnored() throws Exception {
    List<List<Activity>> seen = new ArrayList<>();

    loop(turn -> {
          String run = lastRun();
          Meta gate = Meta.of("action", "begin").with("run", run).with("kind", "gate");
          append("activity", gate.with("agent", -3).with("ago", Long.MAX_VALUE));
          seen.add(other.control().activities());
          append("activity", gate.with("kind", "sings").with("refs", "no list"));
          seen.add(other.control().activities());
          append("activity", Meta.of("action", "sings").with("run", run));
          append("activity", Meta.of("kind", "gate"));
          seen.add(other.control().activities());
          return AgentResult.success();
        })
        .maxIterations(1)
        .run();

    assertThat(seen.get(0)).singleElement().satisfies(it -> assertThat(it.agent()).isZero());
    assertThat(seen.get(1)).isEmpty();
    assertThat(seen.get(2)).isEmpty();
  }

  private Instant saidAt() {
    try (var frames = ralph.log().read(Query.of(TopicFilter.of(ACTIVITY)))) {
      return Objects.requireNonNull(frames.next()).time();
    }
  }

  private String lastRun() {
    TopicFilter control = TopicFilter.of(Topic.of("ralph.s.control"));
    return String.valueOf(ralph.log().last(control).orElseThrow().meta().string("run"));
  }

  private void append(String topic, Meta meta) {
    ralph.append(Topic.of("ralph.s." + topic), meta, "");
  }

  /** A store that can reject the first activity frame, and records the requested durability. */
  private static final class Refusing extends ForwardingStore {
    private final List<Boolean> asked = new CopyOnWriteArrayList<>();
    private final AtomicBoolean refuses;

    Refusing(boolean refuses) {
      super(new MemoryStoreProvider().open(StoreConfig.in(null)));
      this.refuses = new AtomicBoolean(refuses);
    }

    @Override
    public Appended append(Batch batch) {
      for (Draft draft : batch.drafts()) {
        if (draft.topic().equals(ACTIVITY)) {
          asked.add(batch.isSynced());
          if (refuses.getAndSet(false)) {
            throw RalphException.full("no room");
          }
        }
      }
      return super.append(batch);
    }
  }

  @Test
  void activityFrames_areNotSyncedAndMayFail() {
    Refusing store = new Refusing(true);
    try (Ralph refusing = Ralph.over(store)) {
      Session there = refusing.session("s");
      Gate slow =
          Gate.named(
              "slow",
              context -> {
                awaitActivities(refusing, there);
                return Verdict.passed();
              });

      there
          .loop(turn -> AgentResult.success())
          .directory(folder)
          .doneWhen(now -> true)
          .gate(slow)
          .maxIterations(1)
          .run();

      assertThat(there.control().isCompleted()).isTrue();
      assertThat(store.asked).containsExactly(false, false, false);
    }
  }

  @Test
  void pastSession_showsItsActivity() throws Exception {
    Gate slow =
        Gate.named(
            "slow",
            context -> {
              awaitActivities();
              return Verdict.passed();
            });
    loop(turn -> AgentResult.success()).doneWhen(now -> true).gate(slow).maxIterations(1).run();
    List<List<Activity>> past = new ArrayList<>();

    try (var frames = ralph.log().read(Query.of(TopicFilter.of(ACTIVITY)))) {
      for (var frame = frames.next(); frame != null; frame = frames.next()) {
        past.add(other.at(frame).control().activities());
      }
    }

    assertThat(past.get(0)).extracting(Activity::about).containsExactly("slow");
    assertThat(past.get(1)).isEmpty();
  }
}
