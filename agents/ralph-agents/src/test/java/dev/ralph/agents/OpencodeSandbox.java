package dev.ralph.agents;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * An isolated environment for a real opencode. All of its state is below one folder, a scripted
 * model is its only provider, and network features are disabled.
 */
public final class OpencodeSandbox {

  /** The model of the configuration. */
  public static final String MODEL = "scripted/model";

  /** A model whose conversations never fit, so opencode compacts after each answer. */
  public static final String TINY_MODEL = "scripted/tiny";

  private static final String MODEL_URL = "SCRIPTED_MODEL_URL";
  private static final String MODEL_KEY = "scripted-key";

  private final Path root;
  private final Path project;
  private final Map<String, String> environment = new TreeMap<>();

  private OpencodeSandbox(String variables, Path root, URI modelUrl) throws IOException {
    this.root = root;
    project = Files.createDirectories(root.resolve("a project"));
    Path config = root.resolve("opencode.json");
    Files.writeString(config, configuration());
    environment.put(variables + "_CONFIG", config.toString());
    environment.put(MODEL_URL, modelUrl.toString());
    environment.put("HOME", Files.createDirectories(root.resolve("home")).toString());
    for (String kind : new String[] {"CONFIG", "DATA", "STATE", "CACHE"}) {
      Path folder = Files.createDirectories(root.resolve(kind.toLowerCase(java.util.Locale.ROOT)));
      environment.put("XDG_" + kind + "_HOME", folder.toString());
    }
    environment.put(variables + "_PURE", "1");
    environment.put(variables + "_DISABLE_MODELS_FETCH", "1");
    environment.put(variables + "_DISABLE_AUTOUPDATE", "1");
  }

  /** Creates a sandbox in a folder, for the model at an address. */
  public static OpencodeSandbox in(Path root, URI modelUrl) throws IOException {
    return new OpencodeSandbox("OPENCODE", root, modelUrl);
  }

  /** Returns the environment variables of Kilo, which has the same configuration. */
  static Map<String, String> kilo(Path root, URI modelUrl) throws IOException {
    OpencodeSandbox sandbox = new OpencodeSandbox("KILO", root, modelUrl);
    sandbox.environment.put("KILO_TELEMETRY_LEVEL", "off");
    return sandbox.environment();
  }

  /** Returns the opencode program. Fails the test if the program is missing. */
  public static Path program() {
    return ClientSandbox.Client.OPENCODE.program();
  }

  /** Returns the working folder, whose path contains a space. */
  public Path project() {
    return project;
  }

  public Path root() {
    return root;
  }

  /** Returns the environment variables of opencode. */
  public Map<String, String> environment() {
    return Map.copyOf(environment);
  }

  /** Returns an agent that runs the real opencode in this sandbox, with its server on a port. */
  public OpencodeAgent.Builder agent(int port) {
    OpencodeAgent.Builder agent =
        OpencodeAgent.builder().program(program().toString()).model(MODEL).port(port);
    environment.forEach(agent::environment);
    return agent;
  }

  public static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static String configuration() {
    ObjectNode config = ScriptedModelServer.JSON.createObjectNode();
    config
        .put("model", MODEL)
        .put("small_model", MODEL)
        .put("permission", "allow")
        .put("autoupdate", false)
        .put("share", "disabled");
    ObjectNode provider =
        config
            .putObject("provider")
            .putObject("scripted")
            .put("npm", "@ai-sdk/openai-compatible")
            .put("name", "Scripted");
    provider
        .putObject("options")
        .put("baseURL", "{env:" + MODEL_URL + "}")
        .put("apiKey", MODEL_KEY);
    ObjectNode models = provider.putObject("models");
    model(models, "model", 100_000);
    model(models, "tiny", 100);
    return config.toPrettyString();
  }

  private static void model(ObjectNode models, String name, int context) {
    ObjectNode model = models.putObject(name).put("name", name).put("tool_call", true);
    model.putObject("limit").put("context", context).put("output", Math.min(context / 2, 8_000));
    model.putObject("cost").put("input", 1).put("output", 2);
  }
}
