package dev.ralph.cli.task;

import dev.ralph.NewTask;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.text.CheckList;
import dev.ralph.core.internal.text.TextFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The open items of Markdown check lists, as tasks. */
public final class ListedTasks {

  private static final int KEY_BYTES = 12;

  private ListedTasks() {}

  /**
   * Returns the open items of a file as tasks that are added once, however often they are read.
   *
   * @param file as given; {@code -} is standard input
   */
  public static List<NewTask> once(Invocation call, String file) {
    Map<String, Integer> seen = new HashMap<>();
    return open(
        call,
        file,
        text -> NewTask.of(text).key(key(text) + "-" + seen.merge(text, 1, Integer::sum)));
  }

  /** Returns what stays the same as long as the text does. */
  private static String key(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      StringBuilder key = new StringBuilder("listed-");
      for (int i = 0; i < KEY_BYTES; i++) {
        key.append(Character.forDigit(digest[i] >> 4 & 0xf, 16));
        key.append(Character.forDigit(digest[i] & 0xf, 16));
      }
      return key.toString();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every platform has it", e);
    }
  }

  /**
   * Returns the open items of a file, and warns of lines that look like an item and are none.
   *
   * @param file as given; {@code -} is standard input
   * @param task makes a task of an item's text
   */
  static List<NewTask> open(Invocation call, String file, Function<String, NewTask> task) {
    boolean piped = file.equals("-");
    Path path = call.environment().path(file);
    CheckList list = CheckList.parse(piped ? call.piped() : TextFile.read("the file", path));
    List<NewTask> tasks = new ArrayList<>();
    addOpen(list.items(), task, tasks);
    for (int line : list.doubtful()) {
      call.warn(
          (piped ? "line " : path + ":")
              + line
              + ": looks like an item, but is none; write it as '- [ ] text'");
    }
    return tasks;
  }

  /**
   * Adds the items that are not done, each after those below it, which it waits for.
   *
   * @return the references of those that were added for these items themselves
   */
  private static List<String> addOpen(
      List<CheckList.Item> items, Function<String, NewTask> made, List<NewTask> tasks) {
    List<String> added = new ArrayList<>();
    for (CheckList.Item item : items) {
      List<String> below = addOpen(item.below(), made, tasks);
      if (item.isDone()) {
        added.addAll(below);
        continue;
      }
      NewTask task = made.apply(item.text());
      for (String ref : below) {
        task = task.dependsOn(ref);
      }
      tasks.add(task);
      added.add("#" + tasks.size());
    }
    return added;
  }
}
