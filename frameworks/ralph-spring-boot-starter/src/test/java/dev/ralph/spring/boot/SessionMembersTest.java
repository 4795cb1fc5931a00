package dev.ralph.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.NewMessage;
import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Compares the complete JSON of tasks, messages and iterations of a loop with several agents. */
class SessionMembersTest {

  private static final String TIME = "\"[0-9T:.-]+Z\"";

  private final JsonMapper mapper =
      JsonMapper.builder().addModule(new RalphJacksonModule()).build();
  private final Ralph ralph = Ralph.inMemory();
  private final Session session = ralph.session("auth");

  @AfterEach
  void close() {
    ralph.close();
  }

  @Test
  void mergedTask_hasMerge() {
    String id = session.tasks().add(NewTask.of("Test it").touches("src/**")).id();
    String claim = claim(id, "2999-01-01T00:00:00Z");
    append("task", Meta.of("action", "status").with("id", id).with("status", "completed"));
    assertThat(json(session.tasks().get(id)))
        .endsWith(
            ",\"touches\":[\"src/**\"],\"branch\":\"ralph/auth.t1\",\"settled\":false,\"merged\":false}");

    Meta merged = Meta.of("action", "landed").with("id", id).with("claim", claim);
    append("task", merged.with("commit", "c0ffee"));

    assertThat(json(session.tasks().get(id)))
        .isEqualTo(
            "{\"ref\":\"t1\",\"id\":ID,\"short_id\":ID,\"status\":\"completed\","
                + "\"content\":\"Test it\",\"priority\":2,\"depends\":[],\"added\":TIME,"
                + "\"touches\":[\"src/**\"],\"settled\":true,\"merged\":true,\"merged_at\":TIME,"
                + "\"commit\":\"c0ffee\"}");
  }

  @Test
  void returnedTask_hasAttempts() {
    String id = session.tasks().add("Test it").id();
    Meta returned = Meta.of("action", "status").with("id", id).with("status", "remaining");

    append("task", returned.with("reason", "conflict").with("attempt", 2).with("limit", 5));

    assertThat(json(session.tasks().get(id)))
        .endsWith(",\"reason\":\"conflict\",\"attempts\":2,\"attempt_limit\":5}");
  }

  @Test
  void expiredClaim_isOmitted() {
    String id = session.tasks().add("Test it").id();
    claim(id, "2999-01-01T00:00:00Z");
    assertThat(json(session.tasks().get(id)))
        .contains("\"claim\":{\"token\":ID,\"owner\":\"agent-2\",\"until\":TIME}");

    String other = session.tasks().add("Ship it").id();
    claim(other, "2020-01-01T00:00:00Z");

    assertThat(json(session.tasks().get(other))).doesNotContain("claim");
  }

  @Test
  void message_hasAllMembers() {
    session.inbox().send(NewMessage.of("Stop").by("ann").agent(2).followUp(true));

    assertThat(json(session.inbox().get("m1")))
        .isEqualTo(
            "{\"ref\":\"m1\",\"id\":ID,\"short_id\":ID,\"text\":\"Stop\",\"timestamp\":TIME,"
                + "\"sent\":TIME,\"by\":\"ann\",\"agent\":2,\"read\":false,\"follow_up\":true}");
  }

  @Test
  void iteration_hasTaskId() {
    String id = session.tasks().add("Test it").id();
    Meta start = Meta.of("action", "start").with("n", 1).with("role", "review").with("agent", 2);
    append("iteration", start.with("task", id));
    Meta returned = Meta.of("action", "returned").with("n", 1).with("task", id);
    append("iteration", returned.with("reason", "conflict"));

    assertThat(json(session.iterations().list().get(0)))
        .startsWith(
            "{\"n\":1,\"agent\":2,\"task\":ID,\"role\":\"review\",\"status\":\"running\","
                + "\"started\":TIME,\"returned\":\"conflict\"");
  }

  private String json(Object value) {
    return mapper
        .writeValueAsString(value)
        .replaceAll("\"03[0-9a-z]{4,23}\"", "ID")
        .replaceAll(TIME, "TIME");
  }

  /** Claims a task for an agent on a branch, and returns the token of the claim. */
  private String claim(String id, String until) {
    Meta claim = Meta.of("action", "claim").with("id", id).with("owner", "agent-2");
    return append("task", claim.with("until", until).with("branch", "ralph/auth.t1"));
  }

  /** Appends a frame to a topic of the session, and returns the id of the frame. */
  private String append(String topic, Meta meta) {
    Draft draft = Draft.of(Topic.of("ralph.auth." + topic), meta, "");
    Batch batch = Batch.of(UUID.randomUUID().toString(), List.of(draft));
    return ralph.log().append(batch).frames().get(0).id();
  }
}
