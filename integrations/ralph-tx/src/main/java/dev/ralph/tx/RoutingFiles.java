package dev.ralph.tx;

import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Caches the routing of a folder's meshes, and reads it again when a file has changed. Checks the
 * files at most once per second. Safe for use by many threads.
 */
final class RoutingFiles {

  private static final long LOOK_NANOS = 1_000_000_000L;

  private final Path folder;
  private final Consumer<TxEvent> events;

  // Guarded by this.
  private TxRoutings routings = TxRoutings.NONE;
  private @Nullable List<String> seen;
  private long looked;

  RoutingFiles(Path folder, Consumer<TxEvent> events) {
    this.folder = folder;
    this.events = events;
  }

  synchronized TxRoutings current() {
    if (seen != null && System.nanoTime() - looked < LOOK_NANOS) {
      return routings;
    }
    List<String> now = files();
    if (!now.equals(seen)) {
      routings = TxRoutings.read(folder);
      routings.broken().values().forEach(this::warn);
      routings.warnings().forEach(problem -> warn(problem.toString()));
      seen = now;
    }
    looked = System.nanoTime();
    return routings;
  }

  private void warn(String text) {
    events.accept(new TxEvent(TxEvent.Kind.WARNING, folder.toString(), null, text));
  }

  /** Returns a fingerprint of each file in the folder. */
  private List<String> files() {
    List<String> found = new ArrayList<>();
    if (!Files.isDirectory(folder)) {
      return found;
    }
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : (Iterable<Path>) files.sorted()::iterator) {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        found.add(
            file
                + " "
                + attributes.size()
                + " "
                + attributes.lastModifiedTime()
                + " "
                + attributes.fileKey());
      }
      return found;
    } catch (IOException e) {
      throw RalphException.io("cannot read the folder " + folder + ": " + e.getMessage(), e);
    }
  }
}
