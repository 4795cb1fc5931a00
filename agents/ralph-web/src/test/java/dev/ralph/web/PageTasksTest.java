package dev.ralph.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.core.internal.host.SessionOffer;
import dev.ralph.core.internal.host.SessionOffers;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The selection of tasks, and the ways to continue a session, as JSON. */
class PageTasksTest {

  private final Ralph ralph = Ralph.inMemory();
  private final Session auth = ralph.session("auth");
  private final RalphServer server = RalphServer.builder(ralph).build();
  private LivePage page;

  @BeforeEach
  void start() {
    auth.tasks().add(NewTask.of("Write the form").touches("src/login/**"));
    server.start();
    page = new LivePage(server, server.token("ann"));
  }

  @AfterEach
  void close() {
    server.close();
    ralph.close();
  }

  private void append(String topic, Meta meta) {
    ralph.append(Topic.of("ralph.auth." + topic), meta, "");
  }

  // ---- tasks

  @ParameterizedTest
  @CsvSource({
    "status=open, t1 t2 t4",
    "status=all&sort=newest, t4 t3 t2 t1",
    "sort=priority, t4 t1 t2 t3",
    "sort=importance&status=open, t2 t4 t1",
    "text=LOGIN, t2",
    "text=t3, t3",
    "agent=2, t2",
    "agent=agent-1, ''",
    "touches=src/LOGIN, t1",
    "status=open&touches=src, t1",
    "status=completed&text=login, ''"
  })
  void tasks_areSelectedAndSorted(String query, String expected) throws Exception {
    auth.tasks().add("Check the login");
    auth.tasks().add("Say hello");
    auth.tasks().add(NewTask.of("Test it").priority(0));
    auth.tasks().complete("t3");
    Meta claim = Meta.of("action", "claim").with("id", auth.tasks().get("t2").id());
    String until = Instant.now().plusSeconds(600).toString();
    append("task", claim.with("owner", "agent-2").with("until", until));

    Meta found = page.answer("api/sessions/auth/list/tasks?" + query);

    String numbers =
        String.join(
            " ",
            found.objects("items").stream()
                .map(each -> "t" + each.integer("n").orElse(0))
                .toList());
    assertThat(numbers).isEqualTo(expected);
    assertThat(found.integer("total"))
        .hasValue(expected.isEmpty() ? 0 : expected.split(" ").length);
  }

  @Test
  void unknownOrderOfTasks_isRefused() throws Exception {
    assertThat(page.get("api/sessions/auth/list/tasks?sort=x").statusCode()).isEqualTo(400);
    assertThat(page.get("api/sessions/auth/list/tasks?status=x").statusCode()).isEqualTo(400);
  }

  // ---- go on

  @Test
  void endedSession_hasCommand() throws Exception {
    Meta loop = Meta.of("action", "loop_start").with("run", "one").with("agents", 3);
    append("control", loop);
    append("control", Meta.of("action", "loop_end").with("run", "one").with("reason", "budget"));

    try (LivePage.Listening listening = page.listen("auth")) {
      assertThat(listening.next().part("state").string("command"))
          .isEqualTo("ralph build -n auth --agents 3");
    }
  }

  @Test
  void endedOffer_isRepeated() throws Exception {
    SessionOffers offers = SessionOffers.of(ralph);
    Meta order = Meta.of("order", "offer");
    assertThat(page.order("auth", order).body()).contains("--detach");
    offers.put("auth", SessionOffer.anywhere().label("linux"));
    assertThat(page.order("auth", order).body()).contains("already offered");
    offers.withdraw("auth", "no time");
    append(
        "control",
        Meta.of("action", "loop_start").with("host", "blue").with("pid", 47).with("run", "two"));
    assertThat(page.order("auth", order).body()).contains("a loop runs on this session");
    append("control", Meta.of("action", "loop_end").with("run", "two").with("reason", "budget"));

    assertThat(page.order("auth", order).statusCode()).isEqualTo(200);

    assertThat(offers.find("auth").orElseThrow().isOpen()).isTrue();
    assertThat(offers.find("auth").orElseThrow().offer().labels()).containsExactly("linux");
    LivePage reader = new LivePage(server, server.readOnlyToken("bob"));
    assertThat(reader.order("auth", order).statusCode()).isEqualTo(403);
  }
}
