package dev.ralph.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Meta;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.example.BootApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** A request to an application and the work of an agent in another process form one trace. */
class OneTraceTest {

  /** Input of the picture in the documentation. */
  private static final Path SPANS = Path.of("target/trace.jsonl").toAbsolutePath();

  @TempDir Path temp;

  @Test
  void secondProcess_continuesTrace() throws Exception {
    Files.deleteIfExists(SPANS);
    Path store = temp.resolve("store");
    SpanFile spans = new SpanFile(SPANS, "application");
    try (ConfigurableApplicationContext application =
        new SpringApplicationBuilder(BootApplication.class)
            .initializers(
                (GenericApplicationContext context) ->
                    context.registerBean(SpanFile.class, () -> spans))
            .run(
                "--server.port=0",
                "--ralph.store=" + store,
                "--management.tracing.sampling.probability=1",
                "--spring.main.banner-mode=off",
                "--logging.level.root=warn")) {
      String port = application.getEnvironment().getProperty("local.server.port");
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/messages"))
              .POST(HttpRequest.BodyPublishers.ofString("Please do it"))
              .build();
      HttpResponse<String> sent =
          HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
      assertThat(sent.statusCode()).as(sent.body()).isEqualTo(200);
    }
    hear(store);

    Map<String, Meta> byName = new HashMap<>();
    for (String line : Files.readAllLines(SPANS)) {
      Meta span = Meta.parse(line);
      byName.put(span.string("name"), span);
    }
    assertThat(byName.keySet())
        .containsExactlyInAnyOrder(
            "http post /messages",
            "loop",
            "iteration",
            "invoke_agent hearer",
            "execute_tool task_add",
            "execute_tool mcp__ralph__task_status");
    assertThat(byName.values().stream().map(span -> span.string("trace")).distinct()).hasSize(1);
    for (List<String> pair :
        List.of(
            List.of("http post /messages", "loop"),
            List.of("loop", "iteration"),
            List.of("iteration", "invoke_agent hearer"),
            List.of("invoke_agent hearer", "execute_tool task_add"),
            List.of("invoke_agent hearer", "execute_tool mcp__ralph__task_status"))) {
      assertThat(byName.get(pair.get(1)).string("parent"))
          .as("parent of %s", pair.get(1))
          .isEqualTo(byName.get(pair.get(0)).string("id"));
    }
  }

  private static void hear(Path store) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            HearingProcess.class.getName(),
            store.toString(),
            SPANS.toString());
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    Process hearing = builder.inheritIO().start();
    try {
      assertThat(hearing.waitFor(1, TimeUnit.MINUTES)).as("process exits").isTrue();
      assertThat(hearing.exitValue()).isZero();
    } finally {
      hearing.destroyForcibly();
    }
  }
}
