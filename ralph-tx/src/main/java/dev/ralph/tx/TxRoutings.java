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
 * The routing of all meshes of a folder. A broken file stops the messages of its own mesh only.
 * Immutable; safe for use by many threads.
 */
final class TxRoutings {

  /** Of no mesh: every message passes. */
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
   * Reads all files {@code {mesh}.json} of a folder, such as {@code meshes/mesh-configs}; without
   * such a folder there is no mesh with rules.
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
      throw RalphException.io(file.getFileName() + ": it is no file");
    }
    try (InputStream in = new FileInputStream(file.toFile())) {
      return in.readNBytes(TxRouting.LONGEST_FILE + 1);
    } catch (IOException e) {
      throw RalphException.io(file.getFileName() + ": " + e.getMessage(), e);
    }
  }

  /** Returns the failures of the files that can't be used, with line and column, by mesh. */
  Map<String, String> broken() {
    return broken;
  }

  /** Returns what is wrong with the files that are used. */
  List<TxProblem> warnings() {
    return warnings;
  }

  /**
   * Returns why a message may not be delivered, in a line, or null if it may. What has been
   * delivered in its thread before counts only for agents that have rules.
   *
   * @param before what was delivered in the thread of the message
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
   * Returns why nobody can say whether a message may be delivered, in a line: the file of its mesh
   * is broken. Null if it can be said.
   */
  @Nullable String obstacle(TxMessage message) {
    TxAddress from = message.from();
    String mesh = from == null ? null : meshOf(from.mesh());
    return mesh == null || meshes.containsKey(mesh)
        ? null
        : "The routing of mesh " + mesh + " can't be used: " + broken.get(mesh);
  }

  /**
   * Returns what is odd about whom a message is for, in a line, or null if nothing is: it comes
   * from a running instance and goes to the mesh itself, as {@code test-echo/echo} from {@code
   * test-echo-abc123/echo}. An instance is told by the files of the meshes, or by a digit in what
   * follows the mesh's name.
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
        ? "it is for "
            + to
            + ", which names no running instance; if that of the sender is meant, it is "
            + from.mesh()
            + "/"
            + to.agent()
        : null;
  }

  /** Returns whether there are rules for who sends a message. */
  boolean haveRules(TxMessage message) {
    TxAddress from = message.from();
    String mesh = from == null ? null : meshOf(from.mesh());
    TxRouting routing = mesh == null ? null : meshes.get(mesh);
    return from != null && routing != null && routing.hasRules(from.agent());
  }

  /**
   * Returns the mesh that a name stands for: its own, or that of an instance, whose name is the
   * mesh's, a hyphen and what its starter chose. Null if there is no such mesh.
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
