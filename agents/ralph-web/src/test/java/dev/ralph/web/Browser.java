package dev.ralph.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Meta;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Drives a real Chromium through the WebDriver protocol, with a user's clicks and key presses. For
 * use by one thread.
 */
public final class Browser implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

  private final HttpClient client = HttpClient.newHttpClient();
  private final Process driver;
  private final String base;
  private final String session;

  /** Starts Chromium. {@code RALPH_CHROMEDRIVER} must be the path of Chromium's driver. */
  public Browser() throws IOException, InterruptedException {
    String program = System.getenv("RALPH_CHROMEDRIVER");
    assertThat(program).as("RALPH_CHROMEDRIVER must be the path of Chromium's driver").isNotNull();
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    this.base = "http://127.0.0.1:" + port;
    this.driver =
        new ProcessBuilder(program, "--port=" + port)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    String begun = "";
    try {
      awaitDriver();
      Meta options =
          Meta.of(
              "args", List.of("--headless=new", "--no-sandbox", "--disable-gpu", "--lang=en-GB"));
      Meta wanted = Meta.of("alwaysMatch", Meta.of("goog:chromeOptions", options));
      begun =
          Objects.requireNonNull(
              object(call("POST", "/session", Meta.of("capabilities", wanted)))
                  .string("sessionId"));
    } finally {
      if (begun.isEmpty()) {
        driver.destroy();
      }
    }
    this.session = "/session/" + begun;
  }

  private void awaitDriver() throws IOException, InterruptedException {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        call("GET", "/status", null);
        return;
      } catch (IOException notYet) {
        if (System.nanoTime() > until) {
          throw notYet;
        }
        TimeUnit.MILLISECONDS.sleep(50);
      }
    }
  }

  private Meta call(String method, String path, @Nullable Meta body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(base + path))
            .header("Content-Type", "application/json")
            .timeout(Duration.ofMinutes(2))
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body.json()))
            .build();
    HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
    Meta answer = Meta.parse(response.body());
    if (response.statusCode() != 200) {
      Meta error = object(answer);
      throw new Refused(
          String.valueOf(error.string("error")), path + ": " + error.string("message"));
    }
    return answer;
  }

  /** A refused browser command. The reason is an error code of the WebDriver protocol. */
  private static final class Refused extends AssertionError {

    private static final long serialVersionUID = 1L;

    /**
     * Error codes of commands without effect that may succeed in a retry: the page was redrawn, or
     * the element was covered.
     */
    private static final List<String> PASSING =
        List.of(
            "stale element reference",
            "no such element",
            "element not interactable",
            "element click intercepted");

    private final String reason;

    Refused(String reason, String message) {
      super(message);
      this.reason = reason;
    }

    boolean mayPass() {
      return PASSING.contains(reason);
    }
  }

  private static Meta object(Meta answer) {
    return Objects.requireNonNull(answer.object("value"));
  }

  /** Sets the size of the window, the dark or light theme, and the zoom. */
  public void window(int width, int height, boolean dark, int zoom)
      throws IOException, InterruptedException {
    devtools(
        "Emulation.setDeviceMetricsOverride",
        Meta.of("width", width / zoom)
            .with("height", height / zoom)
            .with("deviceScaleFactor", zoom)
            .with("mobile", false));
    Meta scheme = Meta.of("name", "prefers-color-scheme").with("value", dark ? "dark" : "light");
    devtools("Emulation.setEmulatedMedia", Meta.of("features", List.of(scheme)));
  }

  /** Runs a command of Chromium's developer tools and returns its result. */
  public Meta devtools(String command, Meta parameters) throws IOException, InterruptedException {
    return object(
        call(
            "POST",
            session + "/goog/cdp/execute",
            Meta.of("cmd", command).with("params", parameters)));
  }

  /** Opens a tab and returns its handle. Later calls use this tab. */
  public String newTab() throws IOException, InterruptedException {
    Meta opened = object(call("POST", session + "/window/new", Meta.of("type", "tab")));
    String tab = Objects.requireNonNull(opened.string("handle"));
    switchTo(tab);
    return tab;
  }

  /** Returns the handle of the current tab. */
  public String tab() throws IOException, InterruptedException {
    return Objects.requireNonNull(call("GET", session + "/window", null).string("value"));
  }

  /** Shows a tab, which later calls use. */
  public void switchTo(String tab) throws IOException, InterruptedException {
    call("POST", session + "/window", Meta.of("handle", tab));
  }

  public void closeTab() throws IOException, InterruptedException {
    call("DELETE", session + "/window", null);
  }

  public void back() throws IOException, InterruptedException {
    call("POST", session + "/back", Meta.empty());
  }

  public void reload() throws IOException, InterruptedException {
    call("POST", session + "/refresh", Meta.empty());
  }

  public void open(URI address) throws IOException, InterruptedException {
    call("POST", session + "/url", Meta.of("url", address.toString()));
  }

  /** Runs a script and returns its result. */
  public @Nullable Object script(String script, Object... arguments)
      throws IOException, InterruptedException {
    return call(
            "POST",
            session + "/execute/sync",
            Meta.of("script", script).with("args", List.of(arguments)))
        .value("value");
  }

  /** Runs a script and returns the value that it passes to its last argument, a callback. */
  public @Nullable Object scriptThatCalls(String script) throws IOException, InterruptedException {
    return call(
            "POST", session + "/execute/async", Meta.of("script", script).with("args", List.of()))
        .value("value");
  }

  /**
   * Waits until an expression is true on the page. An expression that throws counts as false:
   * elements of both documents are missing while one document replaces the other.
   */
  public void await(String expression) throws IOException, InterruptedException {
    long until = System.nanoTime() + PATIENCE.toNanos();
    String failure = "";
    while (true) {
      try {
        if (Boolean.TRUE.equals(script("return Boolean(" + expression + ")"))) {
          return;
        }
        failure = "";
      } catch (Refused e) {
        failure = "\n" + e.getMessage();
      }
      if (System.nanoTime() > until) {
        throw new AssertionError(
            "not within "
                + PATIENCE.toSeconds()
                + " s: "
                + expression
                + failure
                + "\n"
                + script("return document.body?.textContent.slice(0, 4000)"));
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  /** Waits until the page shows a text. */
  public void awaitText(String text) throws IOException, InterruptedException {
    await("document.body?.textContent.includes(" + quoted(text) + ")");
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }

  /** Waits for the element of a selector and clicks on it. */
  public void click(String selector) throws IOException, InterruptedException {
    onElement(selector, "/click", Meta.empty());
  }

  /** Waits for the element of a selector and types a text into it. */
  public void type(String selector, String text) throws IOException, InterruptedException {
    onElement(selector, "/value", Meta.of("text", text));
  }

  /**
   * Sends a command to the element of a selector, and retries if the page was redrawn meanwhile.
   */
  private void onElement(String selector, String command, Meta body)
      throws IOException, InterruptedException {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        call("POST", element(selector) + command, body);
        return;
      } catch (Refused e) {
        if (!e.mayPass() || System.nanoTime() > until) {
          throw e;
        }
        TimeUnit.MILLISECONDS.sleep(50);
      }
    }
  }

  private String element(String selector) throws IOException, InterruptedException {
    await("document.querySelector(" + quoted(selector) + ")?.getClientRects().length");
    Meta found =
        call(
            "POST", session + "/element", Meta.of("using", "css selector").with("value", selector));
    return session + "/element/" + object(found).string(ELEMENT);
  }

  /** Presses keys one after the other in the focused element. */
  public void press(String keys) throws IOException, InterruptedException {
    List<Meta> presses = new ArrayList<>();
    for (char key : keys.toCharArray()) {
      String value = String.valueOf(key);
      presses.add(Meta.of("type", "keyDown").with("value", value));
      presses.add(Meta.of("type", "keyUp").with("value", value));
    }
    Meta keyboard = Meta.of("type", "key").with("id", "keyboard").with("actions", presses);
    call("POST", session + "/actions", Meta.of("actions", List.of(keyboard)));
  }

  /** Presses a key while holding another key down. */
  public void press(String held, String key) throws IOException, InterruptedException {
    List<Meta> presses =
        List.of(
            Meta.of("type", "keyDown").with("value", held),
            Meta.of("type", "keyDown").with("value", key),
            Meta.of("type", "keyUp").with("value", key),
            Meta.of("type", "keyUp").with("value", held));
    Meta keyboard = Meta.of("type", "key").with("id", "keyboard").with("actions", presses);
    call("POST", session + "/actions", Meta.of("actions", List.of(keyboard)));
  }

  /** Accepts the open dialog of the page. */
  public void accept() throws IOException, InterruptedException {
    call("POST", session + "/alert/accept", Meta.empty());
  }

  public String title() throws IOException, InterruptedException {
    return String.valueOf(script("return document.title"));
  }

  /** Saves a screenshot of the visible part of the page as PNG. */
  public void picture(Path file) throws IOException, InterruptedException {
    String picture = call("GET", session + "/screenshot", null).string("value");
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    Files.write(file, Base64.getDecoder().decode(Objects.requireNonNull(picture)));
  }

  /** Sends a signal, such as {@code STOP}, to all processes of the browser. */
  public void signal(String name) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("kill", "-" + name));
    driver.descendants().forEach(process -> command.add(String.valueOf(process.pid())));
    if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
      throw new AssertionError(command + " failed");
    }
  }

  @Override
  public void close() throws IOException {
    try {
      call("DELETE", session, null);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      driver.destroy();
    }
  }
}
