package dev.ralph.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.Ralph;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Error responses to invalid requests: each has the id of the request and a message that names the
 * remedy. In the request lines of these tests, ' stands for a quotation mark.
 */
@Timeout(300)
class BadRequestsTest {

  private static final int TOO_LONG = 17 << 20;

  private final Ralph ralph = Ralph.inMemory();
  private final SessionServer server = SessionServer.over(() -> ralph).session("s").build();
  private final CountDownLatch ended = new CountDownLatch(1);
  private OutputStream requests;
  private LineClient client;

  @BeforeEach
  void serve() throws IOException {
    Pipe in = Pipe.open();
    Pipe out = Pipe.open();
    Thread thread =
        new Thread(
            () -> {
              server.serve(
                  Channels.newInputStream(in.source()), Channels.newOutputStream(out.sink()));
              ended.countDown();
            });
    thread.setDaemon(true);
    thread.start();
    requests = Channels.newOutputStream(in.sink());
    client = new LineClient(Channels.newInputStream(out.source()), requests);
  }

  @AfterEach
  void close() throws InterruptedException {
    client.close();
    assertThat(ended.await(1, TimeUnit.MINUTES)).isTrue();
    server.close();
    ralph.close();
  }

  /** Sends a line and returns its response, which must be an error without Java class names. */
  private JsonNode refused(String line) {
    client.line(line.replace('\'', '"'));
    return refused();
  }

  private JsonNode refused() {
    JsonNode reply = client.next();
    assertThat(reply.path("jsonrpc").asText()).isEqualTo("2.0");
    assertThat(reply.has("id")).as("%s", reply).isTrue();
    assertThat(message(reply))
        .as("%s", reply)
        .isNotBlank()
        .doesNotContainIgnoringCase("java", "jackson", "modelcontextprotocol", "because", "cast");
    return reply;
  }

  private static String message(JsonNode reply) {
    return reply.path("error").path("message").asText();
  }

  private static int code(JsonNode reply) {
    return reply.path("error").path("code").asInt();
  }

  /** Asserts that the server still answers a tool call and sends nothing else. */
  private void assertServes() {
    assertThat(client.call("note_list")).isEqualTo("No notes yet");
    assertThat(client.hasMore()).isFalse();
  }

  // ---- methods

  @ParameterizedTest
  @ValueSource(
      strings = {
        "logging/setLevel",
        "resources/list",
        "resources/read",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "notifications/initialized",
        "tools/Call",
        "",
        "\\ud800"
      })
  void unknownMethod_isRefusedBeforeAndAfterInitialize(String method) {
    String line =
        "{'jsonrpc':'2.0','id':'m','method':'" + method + "','params':{'level':'info','name':7}}";
    for (int round = 0; round < 2; round++) {
      JsonNode reply = refused(line);
      assertThat(code(reply)).isEqualTo(-32601);
      assertThat(reply.path("id").asText()).isEqualTo("m");
      assertThat(message(reply)).contains("; methods: initialize, ping, tools/call, tools/list");
      if (round == 0) {
        client.initialize();
      }
    }
    assertServes();
  }

  // ---- params

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "tools/call |                                   | name",
        "tools/call | 'params':null                     | name",
        "tools/call | 'params':[]                       | params must be an object",
        "tools/call | 'params':'task_list'              | params must be an object",
        "tools/call | 'params':7                        | params must be an object",
        "tools/call | 'params':{}                       | name",
        "tools/call | 'params':{'name':null}            | name",
        "tools/call | 'params':{'name':7}               | name",
        "tools/call | 'params':{'name':['task_list']}   | name",
        "tools/call | 'params':{'name':'task_list','arguments':[]}    | arguments must be an"
            + " object",
        "tools/call | 'params':{'name':'task_list','arguments':'x'}   | arguments must be an"
            + " object",
        "tools/call | 'params':{'name':'task_list','arguments':7}     | arguments must be an"
            + " object",
        "tools/call | 'params':{'name':'task_list','arguments':false} | arguments must be an"
            + " object",
        "tools/call | 'params':{'name':'none','arguments':[]}         | arguments must be an"
            + " object",
        "tools/list | 'params':7                        | params must be an object",
        "tools/list | 'params':[]                       | params must be an object",
        "tools/list | 'params':{'cursor':7}             | cursor",
        "tools/list | 'params':{'cursor':{}}            | cursor",
        "tools/list | 'params':{'cursor':'next'}        | cursor",
        "ping       | 'params':true                     | params must be an object",
        "initialize |                                   | protocolVersion",
        "initialize | 'params':null                     | protocolVersion",
        "initialize | 'params':{}                       | protocolVersion",
        "initialize | 'params':{'protocolVersion':7}    | protocolVersion",
        "initialize | 'params':{'protocolVersion':' '}  | protocolVersion",
        "initialize | 'params':['2025-11-25']           | params must be an object",
      })
  void invalidParams_areRefusedWithHelpfulMessage(String method, String params, String expected) {
    client.initialize();
    JsonNode reply =
        refused(
            "{'jsonrpc':'2.0','id':77,'method':'"
                + method
                + "'"
                + (params == null ? "" : "," + params)
                + "}");
    assertThat(code(reply)).isEqualTo(-32602);
    assertThat(reply.path("id").asInt()).isEqualTo(77);
    assertThat(message(reply)).contains(expected);
    assertServes();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "tools/list |",
        "tools/list | 'params':null",
        "tools/list | 'params':{'cursor':null,'_meta':7}",
        "tools/list | 'params':{'cursor':'','more':[]}",
        "ping       | 'params':{'_meta':7}",
        "tools/call | 'params':{'name':'task_list'}",
        "tools/call | 'params':{'name':'task_list','arguments':null,'_meta':7,'task':{}}",
        "initialize | 'params':{'protocolVersion':'2025-11-25'}",
        "initialize | 'params':{'protocolVersion':'x','capabilities':7,'clientInfo':'me'}",
        "initialize | 'params':{'protocolVersion':'x','clientInfo':{'name':'','version':' '}}",
        "initialize | 'params':{'protocolVersion':'x','clientInfo':{'name':7,'version':null}}",
      })
  void missingOrAdditionalMembers_areAccepted(String method, String params) {
    client.initialize();
    client.line(
        ("{'jsonrpc':'2.0','id':77,'method':'"
                + method
                + "'"
                + (params == null ? "" : "," + params)
                + "}")
            .replace('\'', '"'));
    JsonNode reply = client.next();
    assertThat(reply.path("id").asInt()).isEqualTo(77);
    assertThat(reply.path("result").isObject()).as("%s", reply).isTrue();
    assertServes();
  }

  @Test
  void refusedInitialize_doesNotInitialize() {
    assertThat(code(refused("{'jsonrpc':'2.0','id':1,'method':'initialize'}"))).isEqualTo(-32602);
    assertThat(code(refused("{'jsonrpc':'2.0','id':2,'method':'tools/list'}"))).isEqualTo(-32002);
    client.initialize();
    assertServes();
  }

  // ---- batches

  /** Only protocol version 2025-03-26 has batches. */
  @Test
  void batchOfMessages_isAnsweredAsBatch() {
    client.initialize();
    client.line(
        """
        [{"jsonrpc":"2.0","id":1,"method":"ping"},
         {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}},
         {"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"task_list"}},
         {"jsonrpc":"2.0","id":7,"result":{}},
         {"jsonrpc":"2.0","id":2,"method":"none"},
         {"jsonrpc":"2.0","id":1.5,"method":"ping"},
         5]"""
            .replace("\n", ""));
    JsonNode replies = client.next();
    Map<String, JsonNode> byId = new HashMap<>();
    replies.forEach(reply -> byId.put(reply.path("id").toString(), reply));
    assertThat(replies).hasSize(5);
    assertThat(byId).containsOnlyKeys("1", "\"a\"", "2", "1.5", "null");
    assertThat(byId.get("1").path("result").isObject()).isTrue();
    assertThat(LineClient.text(byId.get("\"a\""))).contains("No tasks");
    assertThat(code(byId.get("2"))).isEqualTo(-32601);
    assertThat(code(byId.get("1.5"))).isEqualTo(-32600);
    assertThat(code(byId.get("null"))).isEqualTo(-32700);
    assertServes();
  }

  /** The call may be cancelled before its thread starts or while the call runs. */
  @Test
  void cancelledCall_leavesRestOfBatchAnswered() {
    client.initialize();
    for (int round = 0; round < 300; round++) {
      client.line(
          """
          [{"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":"task_list"}},
           {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"call"}},
           {"jsonrpc":"2.0","id":"ping","method":"ping"}]"""
              .replace("\n", ""));
      JsonNode replies = client.next();
      assertThat(replies.findValuesAsText("id")).contains("ping");
    }
    assertServes();
  }

  @Test
  void batchOfNotifications_isNotAnswered() {
    client.initialize();
    client.line("[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}]");
    assertServes();
  }

  // ---- ids

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'id':7,'method':'ping'}                                 | -32600 | 7",
        "{'id':'a','method':'ping','jsonrpc':'1.0'}               | -32600 | 'a'",
        "{'id':7,'method':'ping','jsonrpc':2.0}                   | -32600 | 7",
        "{'jsonrpc':'2.0','id':7}                                 | -32600 | 7",
        "{'jsonrpc':'2.0','id':7,'method':5}                      | -32600 | 7",
        "{'jsonrpc':'2.0','id':7,'method':5,'result':{}}          | -32600 | 7",
        "{'jsonrpc':'2.0','id':1.5,'method':'ping'}               | -32600 | 1.5",
        "{'jsonrpc':'2.0','id':36893488147419103232,'method':'ping'} | -32600 |"
            + " 36893488147419103232",
        "{'jsonrpc':'2.0','id':1e99999999999,'method':'ping'}     | -32600 | null",
        "{'jsonrpc':'2.0','id':null,'method':'ping'}              | -32600 | null",
        "{'jsonrpc':'2.0','id':true,'method':'ping'}              | -32600 | null",
        "{'jsonrpc':'2.0','id':[1],'method':'ping'}               | -32600 | null",
        "{'jsonrpc':'2.0','id':{'id':1},'method':'ping'}          | -32600 | null",
        "{'jsonrpc':'2.0','id':9,'method':'ping','params':{'id':3,x}}         | -32700 | 9",
        "{'jsonrpc':'2.0','id':9,'method':'pi                                 | -32700 | 9",
        "{'jsonrpc':'2.0','id':9,'method':'ping'}}                            | -32700 | 9",
        "{'jsonrpc':'2.0','id':9,'method':'ping'}{'id':8}                     | -32700 | 9",
        "{'jsonrpc':'2.0','method':'ping','params':[{'id':3                   | -32700 | null",
        "{'jsonrpc':'2.0','method':'ping','id':9                              | -32700 | null",
        "{'jsonrpc':'2.0','method':'ping','id':'9                             | -32700 | null",
        "[]                                                                   | -32600 | null",
        "[{'jsonrpc':'2.0','id':1,'method':'ping'}                            | -32700 | null",
      })
  void refusal_containsReadableId(String line, int code, String id) {
    client.initialize();
    JsonNode reply = refused(line);
    assertThat(code(reply)).isEqualTo(code);
    assertThat(reply.path("id").toString()).isEqualTo(id.replace('\'', '"'));
    assertServes();
  }

  @Test
  void tooDeepMessage_isRefusedWithId() {
    client.initialize();
    for (int depth : new int[] {101, 2_000, 50_000}) {
      String nested = "[".repeat(depth) + "]".repeat(depth);
      JsonNode reply =
          refused("{'jsonrpc':'2.0','method':'tools/call','params':" + nested + ",'id':9}");
      assertThat(code(reply)).isEqualTo(-32700);
      assertThat(reply.path("id").asInt()).isEqualTo(9);
      assertThat(message(reply)).contains("100");
    }
    assertServes();
  }

  @Test
  void longNumbersAndNames_areAcceptedExceptInId() {
    client.initialize();
    for (String member :
        new String[] {"'x':" + "1".repeat(5_000), "'" + "x".repeat(90_000) + "':1"}) {
      client.line(
          ("{'jsonrpc':'2.0','method':'ping','params':{" + member + "},'id':9}")
              .replace('\'', '"'));
      assertThat(client.next().path("result").isObject()).isTrue();
    }
    JsonNode reply = refused("{'jsonrpc':'2.0','method':'ping','id':" + "1".repeat(5_000) + "}");
    assertThat(code(reply)).isEqualTo(-32600);
    assertThat(reply.path("id").isNull()).isTrue();
    assertServes();
  }

  /** Includes ids in a batch, whose responses are sent together. */
  @Test
  void textId_mayHaveAnyLength() {
    client.initialize();
    String id = "x".repeat(5_000);
    String ping = "{\"jsonrpc\":\"2.0\",\"id\":\"" + id + "\",\"method\":\"ping\"}";
    client.line(ping);
    assertThat(client.next().path("id").asText()).isEqualTo(id);
    client.line("[" + ping + "," + ping + "]");
    assertThat(client.next().findValuesAsText("id")).containsExactly(id, id);
    assertServes();
  }

  @Test
  void invalidUtf8_isRefusedWithId() throws IOException {
    client.initialize();
    requests.write("{\"jsonrpc\":\"2.0\",\"x\":\"".getBytes(StandardCharsets.US_ASCII));
    requests.write(new byte[] {(byte) 0xC3, (byte) 0x28, (byte) 0xFF});
    requests.write("\",\"method\":\"ping\",\"id\":9}\n".getBytes(StandardCharsets.US_ASCII));
    JsonNode reply = refused();
    assertThat(code(reply)).isEqualTo(-32700);
    assertThat(reply.path("id").asInt()).isEqualTo(9);
    assertServes();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'jsonrpc':'2.0','id':'\\ud800','method':'ping'}",
        "{'jsonrpc':'2.0','id':'\\ud800','method':'tools/call','params':{'name':'\\udc00x'}}",
        "{'jsonrpc':'2.0','id':'\\ud800','method':'tools/call','params':{'name':'note_list'}}",
        "{'jsonrpc':'2.0','id':'\\ud800','method':'ping','params':{'\\ud800':1}}",
      })
  void unpairedSurrogateInId_isEchoed(String line) {
    client.initialize();
    client.line(line.replace('\'', '"'));
    assertThat(client.next().path("id").asText()).isEqualTo("\ud800");
    assertServes();
  }

  // ---- lines that are too long

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'jsonrpc':'2.0','id':9,'method':'tools/call','params':{'name':'task_add','arguments':{'content':'#'}}}"
            + " | 9",
        "{'method':'tools/call','params':{'name':'task_add','arguments':{'content':'#'}},'jsonrpc':'2.0','id':9}"
            + " | 9",
        "{'method':'tools/call','params':{'id':3,'x':'#'},'jsonrpc':'2.0','id':'nine'}             "
            + "              | 'nine'",
        "{'jsonrpc':'2.0','id':9,'method':'tools/call','params':{'name':'#                         "
            + "              | 9",
        "{'jsonrpc':'2.0','id':9,'#':1}                                                            "
            + "              | 9",
        "{'#':1,'id':9}                                                                            "
            + "              | 9",
        "{'jsonrpc':'2.0','method':'tools/call','params':{'name':'#                                "
            + "              | null",
        "{'params':{'id':9,'x':'#'},'method':'tools/call'}                                         "
            + "              | null",
        "{'jsonrpc':'2.0','id':'#','method':'ping'}                                                "
            + "              | null",
        "#                                                                                         "
            + "              | null",
      })
  void tooLongLine_isRefusedWithIdAndLimit(String line, String id) {
    client.initialize();
    JsonNode reply = refused(line.replace("#", "x".repeat(TOO_LONG)));
    assertThat(code(reply)).isEqualTo(-32700);
    assertThat(reply.path("id").toString()).isEqualTo(id.replace('\'', '"'));
    assertThat(message(reply)).contains("too long", "16777216 bytes");
    assertServes();
  }

  /** The server never holds the whole request in memory. */
  @Test
  void hugeRequest_isRefusedWithId() throws IOException {
    client.initialize();
    byte[] megabyte = "x".repeat(1 << 20).getBytes(StandardCharsets.US_ASCII);
    requests.write("{\"method\":\"ping\",\"params\":{\"x\":\"".getBytes(StandardCharsets.US_ASCII));
    for (int i = 0; i < 60; i++) {
      requests.write(megabyte);
    }
    requests.write("\"},\"jsonrpc\":\"2.0\",\"id\":9}\n".getBytes(StandardCharsets.US_ASCII));
    JsonNode reply = refused();
    assertThat(reply.path("id").asInt()).isEqualTo(9);
    assertThat(message(reply)).contains("too long");
    assertServes();
  }

  @Test
  void tooLongLineAtEndOfInput_isRefused() throws InterruptedException {
    client.initialize();
    try {
      requests.write(
          ("{\"jsonrpc\":\"2.0\",\"id\":9,\"x\":\"" + "x".repeat(TOO_LONG))
              .getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    client.close();
    assertThat(refused().path("id").asInt()).isEqualTo(9);
    assertThat(ended.await(1, TimeUnit.MINUTES)).isTrue();
  }

  // ---- messages without a response

  @Test
  void messageWithoutRequest_isNotAnswered() {
    client.initialize();
    String deep = "[".repeat(500) + "]".repeat(500);
    String[] lines = {
      "{'jsonrpc':'2.0','method':'tools/call'}",
      "{'jsonrpc':'2.0','method':'tools/call','params':7}",
      "{'jsonrpc':'2.0','method':'logging/setLevel','params':{'level':'info'}}",
      "{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':1.5}}",
      "{'jsonrpc':'2.0','method':'notifications/cancelled','params':[]}",
      "{'jsonrpc':'2.0','method':'notifications/progress','params':{'x':"
          + "1".repeat(5_000)
          + "}}",
      "{'jsonrpc':'2.0','method':'notifications/progress','params':" + deep + "}",
      "{'jsonrpc':'2.0','method':'notifications/progress','x':'" + "x".repeat(TOO_LONG) + "'}",
      "{'jsonrpc':'2.0','method':'ping','params':{'id':3,x}}",
      "{'jsonrpc':'2.0','id':9,'result':{x}}",
      "{'jsonrpc':'2.0','id':9,'result':{}}",
      "{'id':9,'error':{}}",
      "{'jsonrpc':'2.0','id':9,'result':{'x':'" + "x".repeat(TOO_LONG) + "'}}",
    };
    for (String line : lines) {
      client.line(line.replace('\'', '"'));
      assertThat(client.request("ping", Map.of()).path("result").isObject()).isTrue();
    }
    assertServes();
  }
}
