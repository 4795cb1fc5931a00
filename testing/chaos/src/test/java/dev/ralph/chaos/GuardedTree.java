package dev.ralph.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The user's files next to a store of another person. */
final class GuardedTree {

  static final String VICTIM = "victim.txt";

  private final Path folder;
  private Map<Path, String> before = Map.of();

  private GuardedTree(Path folder) {
    this.folder = folder;
  }

  /**
   * Creates files that a forged store may refer to, including a store of the user.
   *
   * @param folder the folder of the files
   * @param store the store to copy as the user's store
   */
  static GuardedTree make(Path folder, Path store) throws IOException {
    Files.createDirectories(folder.resolve("empty"));
    Files.writeString(folder.resolve(VICTIM), "mine\n");
    Files.createDirectories(folder.resolve("folder/deeper"));
    Files.writeString(folder.resolve("folder/deeper/" + VICTIM), "mine\n");
    Folder.copy(store, folder.resolve("store"));
    GuardedTree tree = new GuardedTree(folder);
    tree.before = tree.state();
    return tree;
  }

  Path folder() {
    return folder;
  }

  /** Returns the changes since the creation; empty for none. */
  String changes() throws IOException {
    Map<Path, String> now = state();
    if (now.equals(before)) {
      return "";
    }
    StringBuilder changes = new StringBuilder();
    for (Map.Entry<Path, String> each : before.entrySet()) {
      String found = now.remove(each.getKey());
      if (!each.getValue().equals(found)) {
        changes.append(each.getKey()).append(": ").append(each.getValue());
        changes.append(" became ").append(found).append('\n');
      }
    }
    now.forEach((path, found) -> changes.append(path).append(" was made\n"));
    return changes.toString();
  }

  /** Any change of content or permissions changes a timestamp. */
  private Map<Path, String> state() throws IOException {
    Map<Path, String> state = new TreeMap<>();
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path each : (Iterable<Path>) all::iterator) {
        state.put(
            each,
            Files.readAttributes(
                    each, "unix:ino,mode,size,lastModifiedTime,ctime", LinkOption.NOFOLLOW_LINKS)
                .toString());
      }
    }
    return state;
  }
}
