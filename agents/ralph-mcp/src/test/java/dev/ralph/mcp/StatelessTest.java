package dev.ralph.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.log.Meta;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Revision 2026-07-28: each request is self-contained. */
class StatelessTest {

  private static final String META =
      "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
          + "\"io.modelcontextprotocol/clientCapabilities\":{}}";

  private final Ralph ralph = Ralph.inMemory();
  private final Session session = ralph.session("s");
  private final SessionServer server = SessionServer.over(() -> ralph).session("s").build();

  @AfterEach
  void close() {
    server.close();
    ralph.close();
  }

  @Test
  void discovery_namesVersionAndTools() {
    Meta result = result("server/discover", META);

    assertThat(result.strings("supportedVersions")).containsExactly("2026-07-28");
    assertThat(result.object("capabilities")).isEqualTo(Meta.of("tools", Meta.empty()));
    assertThat(result.string("resultType")).isEqualTo("complete");
    assertThat(result.integer("ttlMs")).isNotEmpty();
    assertThat(result.string("cacheScope")).isEqualTo("private");
    assertThat(result.object("_meta").object("io.modelcontextprotocol/serverInfo").string("name"))
        .isEqualTo("ralph");
    assertThat(result.string("instructions")).contains("session s");
  }

  @Test
  void tools_areListedAndCalledWithoutInitialize() {
    assertThat(result("tools/list", META).objects("tools")).isNotEmpty();

    Meta added =
        result(
            "tools/call", META + ",\"name\":\"task_add\",\"arguments\":{\"content\":\"Write it\"}");

    assertThat(added.string("resultType")).isEqualTo("complete");
    assertThat(session.tasks().list()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "server/discover | | -32602",
        "server/discover | \"_meta\":{} | -32602",
        "tools/list | \"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"} | -32602",
        "tools/list | \"_meta\":{\"io.modelcontextprotocol/protocolVersion\":7} | -32602",
        "tools/list | \"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"1900-01-01\"} | -32022",
        "ping | META | -32601",
        "initialize | META | -32601",
        "resources/list | META | -32601",
        "tools/call | META | -32602",
        "tools/call | META,\"name\":\"none\" | -32602",
        "tools/list | META,\"cursor\":\"x\" | -32602",
        // Without _meta the request belongs to an earlier revision, which requires initialize
        // first.
        "tools/list | | -32002",
      })
  void invalidRequest_isRefusedWithCode(String method, String params, int code) {
    Collected replies = ask(method, params == null ? "" : params.replace("META", META));

    assertThat(replies.refusals).containsExactly(code);
    assertThat(replies.ends).isEqualTo(1);
  }

  @Test
  void unknownRevision_isRefusedWithSupported() {
    Collected replies =
        ask("tools/list", "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2027-01-01\"}");

    Meta data = Meta.parse(replies.messages.get(0)).object("error").object("data");
    assertThat(data.strings("supported")).containsExactly("2026-07-28");
    assertThat(data.string("requested")).isEqualTo("2027-01-01");
  }

  /** The server offers no notifications, because its tools never change while it runs. */
  @Test
  void subscription_isAcknowledgedAndClosed() {
    Collected replies = begin("subscriptions/listen", META + ",\"notifications\":{}");

    assertThat(replies.messages).hasSize(1);
    assertThat(Meta.parse(replies.messages.get(0)))
        .isEqualTo(
            Meta.of("jsonrpc", "2.0")
                .with("method", "notifications/subscriptions/acknowledged")
                .with(
                    "params",
                    Meta.of("_meta", Meta.of("io.modelcontextprotocol/subscriptionId", 1))
                        .with("notifications", Meta.empty())));
    assertThat(replies.ends).isZero();

    server.close();

    assertThat(replies.messages.get(1)).contains("\"id\":1", "\"resultType\":\"complete\"");
    assertThat(replies.ends).isEqualTo(1);
  }

  @Test
  void cancelledSubscription_ends() {
    Collected replies = begin("subscriptions/listen", META);

    server.cancel(replies);

    assertThat(replies.messages).hasSize(1);
    assertThat(replies.ends).isEqualTo(1);
  }

  @Test
  void notification_endsWithoutReply() {
    Collected replies = new Collected();

    server.receive(
        Meta.parse("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"), replies);

    assertThat(replies.messages).isEmpty();
    assertThat(replies.ends).isEqualTo(1);
  }

  private Meta result(String method, String params) {
    Collected replies = ask(method, params);
    assertThat(replies.messages).hasSize(1);
    assertThat(replies.ends).isEqualTo(1);
    Meta result = Meta.parse(replies.messages.get(0)).object("result");
    assertThat(result).as(replies.messages.get(0)).isNotNull();
    return result;
  }

  private Collected ask(String method, String params) {
    Collected replies = begin(method, params);
    replies.await();
    return replies;
  }

  private Collected begin(String method, String params) {
    Collected replies = new Collected();
    server.receive(
        Meta.parse(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\""
                + method
                + "\",\"params\":{"
                + params
                + "}}"),
        replies);
    return replies;
  }

  private static final class Collected implements SessionServer.Replies {

    final List<String> messages = new ArrayList<>();
    final List<Integer> refusals = new ArrayList<>();
    int ends;
    private final CountDownLatch end = new CountDownLatch(1);

    @Override
    public boolean send(String message) {
      messages.add(message);
      return true;
    }

    @Override
    public boolean refuse(int code, String message) {
      refusals.add(code);
      return send(message);
    }

    @Override
    public void end() {
      ends++;
      end.countDown();
    }

    void await() {
      try {
        assertThat(end.await(1, TimeUnit.MINUTES)).isTrue();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
