package dev.ralph.core.internal.commit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The content of a hooks folder, read once, so later changes have no effect. A hook is unpacked
 * with the other files of its folder, because hooks call scripts beside them.
 */
final class HookFiles {

  private static final int DEPTH = 3;
  private static final int MOST_FILES = 500;
  private static final long MOST_BYTES = 8L * 1024 * 1024;

  /** The folder of Husky, whose scripts call scripts of the parent folder. */
  private static final String HUSKY = "_";

  private record Content(byte[] bytes, boolean isExecutable) {}

  private final Path base;
  private final Path folder;
  private final Map<Path, Content> files = new LinkedHashMap<>();
  private long bytes;

  private HookFiles(Path base, Path folder) {
    this.base = base;
    this.folder = folder;
  }

  /**
   * Reads a folder.
   *
   * @param hooks the names of hooks, read before other files
   */
  static HookFiles read(Path folder, List<String> hooks) throws IOException {
    Path parent = folder.endsWith(HUSKY) ? folder.getParent() : null;
    HookFiles files = new HookFiles(parent == null ? folder : parent, folder);
    for (String hook : hooks) {
      files.add(folder.resolve(hook));
    }
    files.addAll(folder, DEPTH);
    if (parent != null) {
      files.addAll(parent, 1);
    }
    return files;
  }

  private void addAll(Path from, int depth) throws IOException {
    try (Stream<Path> all = Files.walk(from, depth)) {
      for (Path file : all.sorted().limit(MOST_FILES).toList()) {
        if (!file.toString().endsWith(".sample")) {
          add(file);
        }
      }
    }
  }

  private void add(Path file) throws IOException {
    Path key = base.relativize(file);
    // Skip pipes and devices, because reading them might block forever.
    if (files.containsKey(key)
        || files.size() >= MOST_FILES
        || !Files.isRegularFile(file)
        || bytes + Files.size(file) > MOST_BYTES) {
      return;
    }
    byte[] content = Files.readAllBytes(file);
    bytes += content.length;
    files.put(key, new Content(content, Files.isExecutable(file)));
  }

  private @Nullable Content content(String hook) {
    return files.get(base.relativize(folder.resolve(hook)));
  }

  boolean has(String hook) {
    return content(hook) != null;
  }

  boolean isExecutable(String hook) {
    Content content = content(hook);
    return content != null && content.isExecutable();
  }

  /** Returns the first line of a hook, without its line feed; empty if the hook does not exist. */
  String firstLine(String hook) {
    Content content = content(hook);
    if (content == null) {
      return "";
    }
    byte[] all = content.bytes();
    int end = 0;
    while (end < all.length && end < 512 && all[end] != '\n') {
      end++;
    }
    return new String(all, 0, end, StandardCharsets.ISO_8859_1);
  }

  /** Returns whether a hook has changed since it was read. */
  boolean isChanged(String hook) {
    Path file = folder.resolve(hook);
    Content content = content(hook);
    try {
      boolean isThere = Files.isRegularFile(file);
      return content == null
          ? isThere
          : !isThere || !Arrays.equals(Files.readAllBytes(file), content.bytes());
    } catch (IOException unreadable) {
      return true;
    }
  }

  /** Writes all files below a folder, and returns the folder of the unpacked hooks. */
  Path unpack(Path place) throws IOException {
    for (Map.Entry<Path, Content> each : files.entrySet()) {
      Path file = place.resolve(each.getKey());
      Files.createDirectories(file.getParent());
      Files.write(file, each.getValue().bytes());
      if (each.getValue().isExecutable() && !file.toFile().setExecutable(true, true)) {
        throw new IOException("can't make " + file + " executable");
      }
    }
    return place.resolve(base.relativize(folder));
  }
}
