package dev.ralph.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** The least that a server can do: a tool that gives back its text, over the SDK's own streams. */
final class EchoServer {

  private EchoServer() {}

  /** Serves until the input ends. */
  public static void main(String[] arguments) throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    McpJsonMapper json = new JacksonMcpJsonMapper(new ObjectMapper());
    McpSchema.Tool echo =
        McpSchema.Tool.builder(
                "echo",
                Map.of("type", "object", "properties", Map.of("text", Map.of("type", "string"))))
            .description("Gives back the text.")
            .build();
    McpServer.sync(
            new StdioServerTransportProvider(
                json, new Input(new FileInputStream(FileDescriptor.in), ended), System.out))
        .jsonMapper(json)
        .jsonSchemaValidator(new AnythingGoes())
        .validateToolInputs(false)
        .immediateExecution(true)
        .serverInfo("echo", "1")
        .capabilities(McpSchema.ServerCapabilities.builder().tools(false).build())
        .tools(
            McpServerFeatures.SyncToolSpecification.builder()
                .tool(echo)
                .callHandler(
                    (exchange, request) ->
                        McpSchema.CallToolResult.builder()
                            .addTextContent(String.valueOf(request.arguments().get("text")))
                            .isError(false)
                            .build())
                .build())
        .build();
    ended.await();
    System.exit(0);
  }

  /** As in the server that is measured beside it. */
  private static final class AnythingGoes implements JsonSchemaValidator {
    @Override
    public ValidationResponse validate(Map<String, Object> schema, Object content) {
      return ValidationResponse.asValid(null);
    }
  }

  /** Input whose end is told. */
  private static final class Input extends FilterInputStream {
    private final CountDownLatch ended;

    Input(InputStream in, CountDownLatch ended) {
      super(in);
      this.ended = ended;
    }

    @Override
    public int read() throws IOException {
      return noting(super.read());
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      return noting(super.read(bytes, from, length));
    }

    private int noting(int result) {
      if (result < 0) {
        ended.countDown();
      }
      return result;
    }
  }
}
