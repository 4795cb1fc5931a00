package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Topic;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.memory.MemoryStoreProvider;
import dev.ralph.tool.AgentTools;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The number of store round trips of a session, as documented in docs/postgres.md. */
@Timeout(120)
class RoundTripsTest {

  private static final Duration LEASE = Duration.ofMinutes(1);

  private final FrameStore memory = new MemoryStoreProvider().open(StoreConfig.in(null));
  private final CountedStore store = new CountedStore(memory);
  private final Ralph ralph = Ralph.over(store);
  private final Session session = ralph.session("s");

  @TempDir Path folder;

  @AfterEach
  void close() {
    ralph.close();
  }

  private void assertTrips(int count) {
    List<String> trips = store.trips();
    assertThat(trips).as(String.join("\n", trips)).hasSize(count);
  }

  /**
   * Runs a loop of ten iterations. Returns the round trips of the last nine, each from one agent
   * start to the next. Omits reads whose number depends on the agent's run time.
   */
  private List<List<String>> iterate(Agent agent, Duration pause) {
    List<List<String>> iterations = new ArrayList<>();
    session
        .loop(
            turn -> {
              iterations.add(without("LoopSession.glance", store.trips()));
              return agent.run(turn);
            })
        .directory(folder)
        .failurePause(pause)
        .maxIdle(100)
        .maxIterations(10)
        .run();
    return iterations.subList(1, 10);
  }

  private static List<String> without(String caller, List<String> trips) {
    return trips.stream().filter(trip -> !trip.contains(caller)).toList();
  }

  @Test
  void idleIteration_needsAtMostSevenRoundTrips() {
    session.tasks().add("Write it");
    assertThat(iterate(turn -> AgentResult.success(), Duration.ZERO))
        .allSatisfy(trips -> assertThat(trips).hasSizeLessThanOrEqualTo(7));
  }

  @Test
  void pausedIteration_needsAtMostFiveRoundTrips() {
    session.tasks().add("Write it");
    assertThat(iterate(turn -> AgentResult.success(), Duration.ofMillis(1)))
        .as("without the reads at each wake-up of the loop")
        .allSatisfy(
            trips -> assertThat(without("OneAgent.awaitTurn", trips)).hasSizeLessThanOrEqualTo(5));
  }

  @Test
  void addedTask_needsAtMostEightRoundTrips() {
    assertThat(
            iterate(
                turn -> {
                  turn.session().tasks().add("Write it");
                  return AgentResult.success();
                },
                Duration.ZERO))
        .allSatisfy(trips -> assertThat(trips).hasSizeLessThanOrEqualTo(8));
  }

  @Test
  void noticesOfRemovedFrames_needOneMoreRead() {
    session.tasks().add("Write it");
    for (int i = 0; i < 20; i++) {
      Draft notice = Draft.erasureNotice(Topic.of("ralph.s.task"), List.of("removed" + i));
      memory.append(Batch.of("batch" + i, List.of(notice)));
    }
    store.trips();

    assertThat(Ralph.over(store).session("s").tasks().list()).hasSize(1);
    assertThat(store.trips()).filteredOn(trip -> trip.startsWith("read")).hasSizeLessThan(5);
  }

  @Test
  void command_needsThreeRoundTrips() {
    session.tasks().add("Write it");
    session.inbox().send("Hello");
    store.trips();

    Ralph.over(store).session("s").tasks().add("Test it");
    assertTrips(3);
    Ralph.over(store).session("s").inbox().send("Faster");
    assertTrips(3);
    Ralph.over(store).session("s").tasks().claimNext("me", LEASE);
    assertTrips(3);
  }

  @Test
  void hostWithOpenSession_needsSingleRoundTrip() {
    session.tasks().add("Write it");
    session.inbox().send("Hello");
    store.trips();

    session.tasks().add("Test it");
    assertTrips(1);
    session.inbox().send("Faster");
    assertTrips(1);
    session.tasks().claimNext("me", LEASE);
    assertTrips(1);
    session.tasks().list();
    assertTrips(1);
  }

  @Test
  void hostBesideWriters_needsUpToThreeRoundTrips() {
    session.tasks().add("Write it");
    Session others = Ralph.over(memory).session("s");

    others.tasks().add("Test it");
    store.trips();
    session.tasks().add("Say so");
    assertTrips(3); // rejected append, read, append
    others.tasks().add("Rest");
    session.tasks().add("Do more");
    assertTrips(2); // read, append
    session.tasks().add("Do all");
    assertTrips(2);
    session.tasks().add("Go home");
    assertTrips(1);
  }

  @Test
  void agentTools_needThreeOrFourRoundTrips() {
    for (int i = 0; i < 2; i++) {
      session.tasks().add("Write it");
    }
    try (AgentTools tools = session.openTools()) {
      for (int i = 1; i <= 2; i++) {
        store.trips();
        tools.call("task_next", "{}");
        int next = store.trips().size();
        tools.call("task_status", "{\"id\":\"t" + i + "\",\"status\":\"completed\"}");
        int status = store.trips().size();
        if (i == 2) { // the first calls also read existing frames
          assertThat(next).isEqualTo(3);
          assertThat(status).isEqualTo(4);
        }
      }
    }
  }
}
