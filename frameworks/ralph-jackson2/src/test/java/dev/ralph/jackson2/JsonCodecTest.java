package dev.ralph.jackson2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.AgentResult;
import dev.ralph.Iteration;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Message;
import dev.ralph.Note;
import dev.ralph.Question;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.TypedTopic;
import dev.ralph.Verdict;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects in steps, frames and folds, and the library's objects in a plain mapper. */
class JsonCodecTest {

  private static final Topic TOPIC = Topic.of("shop.orders");
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final JsonCodec<Order> ORDER = JsonCodec.of(MAPPER, Order.class);
  private static final JsonCodec<Map<String, Integer>> TOTALS =
      JsonCodec.of(MAPPER, new TypeReference<Map<String, Integer>>() {});

  @TempDir Path temp;

  /** An order. */
  public record Order(String customer, int amount, List<String> notes) {}

  /** An object that cannot be written. */
  public static final class Secret {
    /** Fails. */
    public String getText() {
      throw new IllegalStateException("not for you");
    }
  }

  @Test
  void object_survivesStep() {
    Order order = new Order("Ann \"é\"\n\u2028", 20, List.of("a", "b"));
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("s");
      assertThat(session.step("order", ORDER, () -> order)).isEqualTo(order);
      assertThat(session.step("order", ORDER, () -> new Order("Bob", 0, List.of())))
          .isEqualTo(order);
    }
  }

  @Test
  void invalidJson_isRefused() {
    for (String json :
        List.of("", "no", "{\"amount\":\"x\"}", "[]", "{} {}", "null", "{\"x\":1}")) {
      assertThatThrownBy(() -> ORDER.read(json))
          .as(json)
          .isInstanceOfSatisfying(
              RalphException.class,
              e -> assertThat(e.code()).isEqualTo(RalphException.Code.INVALID))
          .hasMessageStartingWith("can't read " + Order.class.getName() + " as JSON: ");
    }
    assertThatThrownBy(() -> TOTALS.decode(new byte[] {1})).hasMessageContaining("as JSON: ");
    assertThatThrownBy(() -> JsonCodec.of(MAPPER, Secret.class).write(new Secret()))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("not for you");
    assertThatThrownBy(() -> JsonCodec.of(MAPPER, Secret.class).encode(new Secret()))
        .isInstanceOf(RalphException.class);
  }

  /** A tree. */
  public record Tree(Tree child) {}

  @Test
  void hostileJson_isRefused() throws Exception {
    List<String> hostile = new ArrayList<>(List.of("1e99999999999", "1".repeat(5_000), "NaN"));
    for (int levels : new int[] {990, 100_000}) {
      hostile.add("{\"child\":".repeat(levels) + "7" + "}".repeat(levels));
    }
    List<Throwable> failures = new CopyOnWriteArrayList<>();
    Thread small = new Thread(null, () -> read(hostile, failures), "small stack", 200_000);
    small.start();
    small.join();
    assertThat(failures)
        .hasSize(4 * hostile.size())
        .allSatisfy(
            e -> {
              assertThat(e).isInstanceOf(RalphException.class);
              assertThat(e).hasMessageStartingWith("can't read ");
            });
  }

  private static void read(List<String> hostile, List<Throwable> failures) {
    for (JsonCodec<?> codec :
        List.of(
            JsonCodec.of(MAPPER, Tree.class), JsonCodec.of(MAPPER, java.math.BigInteger.class))) {
      for (String json : hostile) {
        failures.add(catchThrowable(() -> codec.read(json)));
        failures.add(catchThrowable(() -> codec.decode(json.getBytes(StandardCharsets.UTF_8))));
      }
    }
  }

  @Test
  void cyclicValue_isRefused() {
    Map<String, Object> cyclic = new LinkedHashMap<>();
    cyclic.put("list", List.of(cyclic));
    assertThatThrownBy(() -> JsonCodec.of(MAPPER, Map.class).write(cyclic))
        .isInstanceOf(RalphException.class);
    assertThatThrownBy(() -> JsonCodec.of(MAPPER, Map.class).encode(cyclic))
        .isInstanceOf(RalphException.class);
  }

  private static Fold<Map<String, Integer>, Map<String, Integer>> totals(TypedTopic<Order> orders) {
    return orders.fold(
        "shop.totals",
        1,
        LinkedHashMap::new,
        (totals, entry) -> {
          Order order = entry.value();
          if (order == null) {
            totals.merge("unreadable", 1, Integer::sum);
          } else {
            totals.merge(order.customer(), order.amount(), Integer::sum);
          }
        },
        Map::copyOf,
        TOTALS);
  }

  @Test
  void objects_areFoldedFromFramesAndSnapshots() {
    Path store = temp.resolve("store");
    try (Ralph ralph = Ralph.open(store)) {
      TypedTopic<Order> orders = ralph.topic(TOPIC, ORDER);
      for (int i = 0; i < 2_500; i++) { // a snapshot is stored every 2,000 frames
        orders.append(new Order(i % 2 == 0 ? "Ann" : "Bob", 1, List.of()));
      }
      ralph.append(TOPIC, Meta.empty(), "no order");
      assertThat(ralph.view(TOPIC, totals(orders)).current())
          .isEqualTo(Map.of("Ann", 1_250, "Bob", 1_250, "unreadable", 1));
    }
    try (Ralph ralph = Ralph.open(store)) {
      assertThat(ralph.view(TOPIC, totals(ralph.topic(TOPIC, ORDER))).current())
          .isEqualTo(Map.of("Ann", 1_250, "Bob", 1_250, "unreadable", 1));
    }
  }

  private static String json(Object value) throws Exception {
    return MAPPER.writeValueAsString(value);
  }

  @Test
  void plainMapper_writesJsonOfTheCommand() throws Exception {
    List<LoopEvent> events = new ArrayList<>();
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("s");
      Task task = session.tasks().add("Write the form");
      session.notes().add("learning", "The port is 8080");
      session.inbox().send("Hello");
      session.questions().ask("Which port?");
      LoopResult result =
          session
              .loop(turn -> AgentResult.success())
              .directory(temp)
              .maxIterations(1)
              .onEvent(events::add)
              .run();
      Frame frame = ralph.append(TOPIC, Meta.parse("{\"a\":[1,null,{\"b\":1.50}]}"), "x");

      assertThat(json(task))
          .startsWith("{\"ref\":\"t1\",\"id\":\"" + task.id())
          .contains("\"status\":\"remaining\",\"content\":\"Write the form\"");
      check(frame, frame.json());
      check(frame.meta(), frame.meta());
      check(result, result.json());
      check(result.usage(), result.usage().json());
      for (Session.Listed each : ralph.sessions("", 9)) {
        check(each, each.json());
      }
      for (Note each : session.notes().list()) {
        check(each, each.json());
      }
      for (Message each : session.inbox().history()) {
        check(each, each.json());
      }
      for (Question each : session.questions().history()) {
        check(each, each.json());
      }
      for (Iteration each : session.iterations().list()) {
        check(each, each.json());
      }
      for (LoopEvent each : events) {
        check(each, each.jsonObject());
      }
      check(Verdict.failed("no \"form\""), Verdict.failed("no \"form\"").json());
      check(Meta.parse("{\"a\":null}"), Meta.parse("{\"a\":null}"));
      assertThat(json(Verdict.ofExit(3, "")))
          .isEqualTo("{\"passed\":false,\"exit_code\":3,\"reason\":\"It printed nothing.\"}");
      assertThat(json(List.of(TOPIC))).isEqualTo("[\"shop.orders\"]");
      assertThat(json(frame))
          .contains("\"topic\":\"shop.orders\"", "\"meta\":{\"a\":[1,null,{\"b\":1.50}]}")
          .endsWith(",\"content\":\"x\"}");
      assertThat(json(session.tasks().list().counts()))
          .startsWith("{\"remaining\":1,\"in_progress\":0,");
      assertThat(json(List.of(Iteration.Status.SUCCESS, result.reason())))
          .isEqualTo("[\"success\",\"max_iterations\"]");
    }
  }

  private static void check(Object value, Meta expected) throws Exception {
    assertThat(expected.keys()).isNotEmpty();
    assertThat(MAPPER.readTree(json(value)))
        .as("%s", value)
        .isEqualTo(MAPPER.readTree(expected.json()));
  }
}
