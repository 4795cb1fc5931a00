package dev.ralph.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** A minimal MCP server with the SDK's own streams and a tool that returns its argument. */
final class EchoServer {

  /** The parts of the class path that the server needs. */
  private static final List<String> NEEDED =
      List.of(
          EchoServer.class.getName().replace('.', '/'),
          "io/modelcontextprotocol/",
          "com/fasterxml/jackson/",
          "reactor/",
          "org/reactivestreams/",
          "org/slf4j/",
          "META-INF/services/io.modelcontextprotocol",
          "META-INF/services/com.fasterxml.jackson",
          "META-INF/services/org.slf4j");

  private static final List<String> TRAINING =
      List.of(
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
              + McpClient.INITIALIZE
              + "}\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n",
          "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n",
          "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\","
              + "\"arguments\":{\"text\":\"x\"}}}\n");

  private EchoServer() {}

  /**
   * Serves until the input ends. If the launcher sets {@code ralph.training}, answers a few
   * built-in requests, so that the JVM records the needed classes.
   */
  public static void main(String[] arguments) throws InterruptedException {
    CountDownLatch ended;
    if (System.getProperty("ralph.training") == null) {
      ended = new CountDownLatch(1);
      serve(new Input(new FileInputStream(FileDescriptor.in), ended), System.out);
    } else {
      ended = new CountDownLatch(TRAINING.size());
      String requests = String.join("", TRAINING);
      serve(new Requests(requests, ended), new Replies(ended));
    }
    ended.await();
    System.exit(0);
  }

  private static void serve(InputStream in, OutputStream out) {
    McpJsonMapper json = new JacksonMcpJsonMapper(new ObjectMapper());
    McpSchema.Tool echo =
        McpSchema.Tool.builder(
                "echo",
                Map.of("type", "object", "properties", Map.of("text", Map.of("type", "string"))))
            .description("Gives back the text.")
            .build();
    McpServer.sync(new StdioServerTransportProvider(json, in, out))
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
  }

  /** Writes a jar with only this server and its dependencies. */
  static void writeJar(Path jar) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, EchoServer.class.getName());
    Set<String> written = new HashSet<>();
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
      for (String from : System.getProperty("java.class.path").split(File.pathSeparator)) {
        JarEntries.copy(Path.of(from), name -> isNeeded(name) && written.add(name), out);
      }
    }
  }

  private static boolean isNeeded(String entry) {
    return !entry.endsWith("/") && NEEDED.stream().anyMatch(entry::startsWith);
  }

  /** Accepts everything, like the server that this one is compared with. */
  private static final class AnythingGoes implements JsonSchemaValidator {
    @Override
    public ValidationResponse validate(Map<String, Object> schema, Object content) {
      return ValidationResponse.asValid(null);
    }
  }

  /** Input that reports its end. */
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
    public synchronized int read(byte[] bytes, int from, int length) throws IOException {
      return noting(super.read(bytes, from, length));
    }

    private int noting(int result) {
      if (result < 0) {
        ended.countDown();
      }
      return result;
    }
  }

  /**
   * Input that ends only after all requests are answered, because the server answers nothing
   * afterwards.
   */
  private static final class Requests extends ByteArrayInputStream {
    private final CountDownLatch answered;

    Requests(String requests, CountDownLatch answered) {
      super(requests.getBytes(StandardCharsets.UTF_8));
      this.answered = answered;
    }

    @Override
    public synchronized int read(byte[] bytes, int from, int length) {
      int result = super.read(bytes, from, length);
      if (result < 0) {
        try {
          answered.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      return result;
    }
  }

  /** Output that counts its lines. */
  private static final class Replies extends OutputStream {
    private final CountDownLatch left;

    Replies(CountDownLatch left) {
      this.left = left;
    }

    @Override
    public void write(int each) {
      if (each == '\n') {
        left.countDown();
      }
    }
  }
}
