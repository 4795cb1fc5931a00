package dev.ralph.tx;

import dev.ralph.log.RalphException;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The routing of all meshes of a folder. A broken file stops only the messages of its own mesh.
 * Immutable; safe for use by many threads.
 */
final class TxRoutings {

  /** The routing without meshes: every message passes. */
  static final TxRoutings NONE = new TxRoutings(Map.of(), Map.of(), List.of());

  private final Map<String, TxRouting> meshes;
  private final Map<String, String> broken;
  private final List<TxProblem> warnings;

  private TxRoutings(
      Map<String, TxRouting> meshes, Map<String, String> broken, List<TxProblem> warnings) {
    this.meshes = meshes;
    this.broken = broken;
    this.warnings = warnings;
  }

  /**
   * Reads all files {@code {mesh}.json} of a folder, such as {@code meshes/mesh-configs}. A missing
   * folder means that no mesh has rules.
   *
   * @throws RalphException IO if the folder can't be read
   */
  static TxRoutings read(Path folder) {
    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files = all.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    } catch (NoSuchFileException | NotDirectoryException none) {
      return NONE;
    } catch (IOException e) {
      throw RalphException.io("cannot read the folder " + folder + ": " + e.getMessage(), e);
    }
    Map<String, TxRouting> meshes = new HashMap<>();
    Map<String, String> broken = new HashMap<>();
    List<TxProblem> warnings = new ArrayList<>();
    for (Path file : files) {
      String name = String.valueOf(file.getFileName());
      try {
        TxRouting routing = TxRouting.read(name, bytes(file));
        meshes.put(routing.mesh(), routing);
        warnings.addAll(routing.warnings());
      } catch (RalphException e) {
        broken.put(TxRouting.mesh(name), String.valueOf(e.getMessage()));
      }
    }
    return new TxRoutings(Map.copyOf(meshes), Map.copyOf(broken), List.copyOf(warnings));
  }

  private static byte[] bytes(Path file) {
    if (!Files.isRegularFile(file)) {
      throw RalphException.io(file.getFileName() + ": not a regular file");
    }
    try (InputStream in = new FileInputStream(file.toFile())) {
      return in.readNBytes(TxRouting.LONGEST_FILE + 1);
    } catch (IOException e) {
      throw RalphException.io(file.getFileName() + ": " + e.getMessage(), e);
    }
  }

  /** Returns the errors of the invalid files, with line and column, by mesh. */
  Map<String, String> broken() {
    return broken;
  }

  /** Returns the problems of the valid files. */
  List<TxProblem> warnings() {
    return warnings;
  }

  /**
   * Returns the reason why a message may not be delivered, in a single line, or null if it may. The
   * earlier deliveries of its thread count only for agents with rules.
   *
   * @param before the deliveries in the thread of the message
   */
  @Nullable String refusal(TxMessage message, TxIterations before) {
    String obstacle = obstacle(message);
    if (obstacle != null) {
      return obstacle;
    }
    TxAddress from = message.from();
    String mesh = from == null ? null : meshOf(from.mesh());
    TxRouting routing = mesh == null ? null : meshes.get(mesh);
    if (from == null || routing == null) {
      return null;
    }
    if (!routing.hasRules(from.agent())) {
      return null;
    }
    String refusal = routing.refusal(message);
    return refusal == null ? before.refusal(message) : refusal;
  }

  /**
   * Returns the reason why the routing of a message is unknown, in a single line: the file of its
   * mesh is broken. Returns null if the routing is known.
   */
  @Nullable String obstacle(TxMessage message) {
    TxAddress from = message.from();
    String mesh = from == null ? null : meshOf(from.mesh());
    return mesh == null || meshes.containsKey(mesh)
        ? null
        : "The routing of mesh " + mesh + " is unusable: " + broken.get(mesh);
  }

  /**
   * Returns a warning about the recipient of a message, in a single line, or null. The warning
   * concerns a message from a running instance to the mesh itself, such as {@code test-echo/echo}
   * from {@code test-echo-abc123/echo}. An instance is recognised by the files of the meshes, or by
   * a digit after the name of the mesh.
   */
  @Nullable String doubt(TxMessage message) {
    TxAddress from = message.from();
    TxAddress to = message.to();
    if (from == null || to == null || !from.mesh().startsWith(to.mesh() + "-")) {
      return null;
    }
    boolean isInstance =
        from.mesh().chars().skip(to.mesh().length()).anyMatch(c -> c >= '0' && c <= '9');
    return isInstance || to.mesh().equals(meshOf(from.mesh()))
        ? "the receiver "
            + to
            + " names no running instance; the sender's instance is "
            + from.mesh()
            + "/"
            + to.agent()
        : null;
  }

  /** Returns whether there are rules for the sender of a message. */
  boolean haveRules(TxMessage message) {
    TxAddress from = message.from();
    String mesh = from == null ? null : meshOf(from.mesh());
    TxRouting routing = mesh == null ? null : meshes.get(mesh);
    return from != null && routing != null && routing.hasRules(from.agent());
  }

  /**
   * Returns the mesh of a name, or null if none exists. The name is a mesh, or an instance: the
   * name of the mesh, a hyphen and a suffix.
   */
  private @Nullable String meshOf(String instance) {
    for (int end = instance.length(); end > 0; end = instance.lastIndexOf('-', end - 1)) {
      String name = instance.substring(0, end);
      if (meshes.containsKey(name) || broken.containsKey(name)) {
        return name;
      }
    }
    return null;
  }
}
