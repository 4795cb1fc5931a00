package dev.ralph.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.langchain4j.store.memory.chat.ChatMemoryStore;
import dev.ralph.AgentResult;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.log.Meta;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.example.BootApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.ai.chat.memory.ChatMemoryRepository;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.ConfigurableApplicationContext;

class SpringBootTest {

  @TempDir Path temp;

  private final HttpClient http = HttpClient.newHttpClient();

  private ConfigurableApplicationContext application(String... more) {
    String[] own = {
      "--server.port=0",
      "--ralph.store=" + temp.resolve("store"),
      "--ralph.loops.directory=" + temp,
      "--management.endpoints.web.exposure.include=health,metrics,ralph",
      "--management.endpoint.health.show-details=always",
      "--spring.main.banner-mode=off",
      "--logging.level.root=warn"
    };
    String[] all = Arrays.copyOf(own, own.length + more.length);
    System.arraycopy(more, 0, all, own.length, more.length);
    return SpringApplication.run(BootApplication.class, all);
  }

  @Test
  void example_completesSentTasks() throws Exception {
    try (ConfigurableApplicationContext application = application()) {
      Meta added = Meta.parse(send(application, "POST", "/tasks", "Write \"it\""));
      assertThat(added.string("ref")).isEqualTo("t1");
      assertThat(added.string("content")).isEqualTo("Write \"it\"");
      assertThat(added.strings("depends")).isEmpty();

      Meta result = Meta.parse(send(application, "POST", "/run", ""));
      assertThat(result.string("reason")).isEqualTo("completed");
      assertThat(send(application, "GET", "/tasks", "")).contains("\"status\":\"completed\"");

      assertThat(send(application, "GET", "/actuator/health", ""))
          .contains("\"ralph\"", "\"store\":\"file\"", "\"status\":\"UP\"");
      assertThat(send(application, "GET", "/actuator/metrics/ralph.loop", ""))
          .contains("\"COUNT\",\"value\":1");
      assertThat(send(application, "GET", "/actuator/metrics/ralph.tokens", "")).contains("input");
      assertThat(send(application, "GET", "/actuator/ralph", "")).isEqualTo("{\"running\":[]}");
      assertThat(send(application, "GET", "/actuator/ralph/work", ""))
          .contains("\"tasks\":1", "\"open\":0", "\"iterations\":1");
    }
    try (Ralph ralph = Ralph.openExisting(temp.resolve("store"))) {
      assertThat(ralph.session("work").tasks().list().open()).isEmpty();
    }
  }

  @Test
  void runningLoop_endsBeforeStoreCloses() throws Exception {
    CountDownLatch working = new CountDownLatch(1);
    CompletableFuture<LoopResult> end;
    RalphLoops loops;
    try (ConfigurableApplicationContext application = application()) {
      loops = application.getBean(RalphLoops.class);
      end =
          loops.start(
              "long",
              turn -> {
                working.countDown();
                Thread.sleep(600_000);
                return AgentResult.success();
              },
              loop -> {});
      working.await();
      assertThat(loops.running()).containsExactly("long");
      assertThatThrownBy(() -> loops.start("long"))
          .hasMessageContaining("already runs a loop on long");
    }

    assertThat(end.get().reason()).isEqualTo(StopReason.INTERRUPTED);
    assertThat(loops.running()).isEmpty();
    assertThatThrownBy(() -> loops.start("long")).isNotNull();
    try (Ralph ralph = Ralph.openExisting(temp.resolve("store"))) {
      Session session = ralph.session("long");
      assertThat(session.iterations().last().orElseThrow().status().word())
          .isEqualTo("interrupted");
    }
  }

  @Test
  void chatMemories_existForBothFrameworks() {
    try (ConfigurableApplicationContext application = application("--ralph.chats=talks")) {
      ChatMemoryRepository memories = application.getBean(ChatMemoryRepository.class);
      assertThat(memories.getClass().getSimpleName()).isEqualTo("RalphChatMemoryRepository");
      assertThat(application.getBean(ChatMemoryStore.class).getMessages("none")).isEmpty();
    }
  }

  @Test
  void virtualThreads_runLoopsIfEnabled() {
    try (ConfigurableApplicationContext application =
        application("--spring.threads.virtual.enabled=true")) {
      CompletableFuture<String> thread = new CompletableFuture<>();
      application
          .getBean(RalphLoops.class)
          .start(
              "virtual",
              turn -> {
                thread.complete(Thread.currentThread().toString());
                turn.session().control().complete();
                return AgentResult.success();
              },
              loop -> {})
          .join();
      assertThat(thread.join().startsWith("VirtualThread"))
          .isEqualTo(Runtime.version().feature() >= 21);
    }
  }

  @Test
  void metadata_listsEveryProperty() throws IOException {
    Set<String> declared = new TreeSet<>();
    addNames("ralph.", RalphProperties.class, declared);
    Set<String> described = new TreeSet<>();
    byte[] text =
        RalphProperties.class
            .getResourceAsStream("/META-INF/spring-configuration-metadata.json")
            .readAllBytes();
    Meta.parse(new String(text, StandardCharsets.UTF_8))
        .objects("properties")
        .forEach(property -> described.add(property.string("name")));

    assertThat(described).isEqualTo(declared);
  }

  private static void addNames(String prefix, Class<?> type, Set<String> names) {
    for (var component : type.getRecordComponents()) {
      String name = component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
      assertThat(ConfigurationPropertyName.isValid(name)).isTrue();
      if (component.getType().isRecord()) {
        addNames(prefix + name + ".", component.getType(), names);
      } else {
        names.add(prefix + name);
      }
    }
  }

  private String send(
      ConfigurableApplicationContext application, String method, String path, String body)
      throws Exception {
    String port = application.getEnvironment().getProperty("local.server.port");
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
            .header("Content-Type", "text/plain")
            .header("Accept", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return response.body();
  }
}
