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
 * A place for the real opencode to run in, all of its state below one folder, with a scripted model
 * for its only provider and nothing that asks the network.
 */
public final class OpencodeSandbox {

  /** The model that the configuration names. */
  public static final String MODEL = "scripted/model";

  /** A model whose conversations never fit, so that opencode compacts after each answer. */
  public static final String TINY_MODEL = "scripted/tiny";

  private static final String MODEL_URL = "SCRIPTED_MODEL_URL";
  private static final String MODEL_KEY = "scripted-key";

  private final Path root;
  private final Path project;
  private final Map<String, String> environment = new TreeMap<>();

  private OpencodeSandbox(Path root, URI modelUrl) throws IOException {
    this.root = root;
    project = Files.createDirectories(root.resolve("a project"));
    Path config = root.resolve("opencode.json");
    Files.writeString(config, configuration());
    environment.put("OPENCODE_CONFIG", config.toString());
    environment.put(MODEL_URL, modelUrl.toString());
    environment.put("HOME", Files.createDirectories(root.resolve("home")).toString());
    for (String kind : new String[] {"CONFIG", "DATA", "STATE", "CACHE"}) {
      Path folder = Files.createDirectories(root.resolve(kind.toLowerCase(java.util.Locale.ROOT)));
      environment.put("XDG_" + kind + "_HOME", folder.toString());
    }
    environment.put("OPENCODE_PURE", "1");
    environment.put("OPENCODE_DISABLE_MODELS_FETCH", "1");
    environment.put("OPENCODE_DISABLE_AUTOUPDATE", "1");
  }

  /** Makes a sandbox in that folder, for a model at that address. */
  public static OpencodeSandbox in(Path root, URI modelUrl) throws IOException {
    return new OpencodeSandbox(root, modelUrl);
  }

  /** The opencode program to test with. A test that needs it fails without. */
  public static Path program() {
    return ClientSandbox.Client.OPENCODE.program();
  }

  /** The folder to work in; there is a space in its path. */
  public Path project() {
    return project;
  }

  /** Where all of it lies. */
  public Path root() {
    return root;
  }

  /** What opencode needs in its environment. */
  public Map<String, String> environment() {
    return Map.copyOf(environment);
  }

  /** An agent that runs the real opencode here, its server on that port. */
  public OpencodeAgent.Builder agent(int port) {
    OpencodeAgent.Builder agent =
        OpencodeAgent.builder().program(program().toString()).model(MODEL).port(port);
    environment.forEach(agent::environment);
    return agent;
  }

  /** A port that nobody listens on now. */
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
