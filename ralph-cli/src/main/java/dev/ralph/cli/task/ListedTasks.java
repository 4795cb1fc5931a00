package dev.ralph.cli.task;

import dev.ralph.NewTask;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.TaskEdit;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.text.CheckList;
import dev.ralph.core.internal.process.GitCeilings;
import dev.ralph.core.internal.text.Sha256;
import dev.ralph.core.internal.text.TaskAlignment;
import dev.ralph.core.internal.text.TextFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The items of a file's Markdown check lists as tasks. Repeated reads of the file add each task
 * only once.
 *
 * <p>The key of a task consists of the file, the headings above the item, its text, and a counter
 * among equal items. Items with a new text are aligned with earlier tasks of the file by {@link
 * TaskAlignment}. The task of an edited item is edited.
 */
public final class ListedTasks {

  private static final String PREFIX = "listed-";
  private static final int HASH_LENGTH = 12;
  private static final String STORY = "User story: ";

  private final Invocation call;

  /** The prefix of the keys of the file's tasks; null for a list without keys. */
  private final @Nullable String prefix;

  private final List<Entry> entries = new ArrayList<>();

  /**
   * An item.
   *
   * @param below the indexes of the open items below, on which the task depends
   */
  private record Entry(
      TaskAlignment.Line line, String content, boolean done, String key, List<Integer> below) {}

  private ListedTasks(Invocation call, @Nullable String prefix) {
    this.call = call;
    this.prefix = prefix;
  }

  /**
   * Reads a file, and warns about possible items with a syntax error.
   *
   * @param name the name from the call; {@code -} is standard input
   */
  public static ListedTasks read(Invocation call, String name) {
    return read(call, name, true);
  }

  /**
   * Reads a file, and warns about possible items with a syntax error.
   *
   * @param name the name from the call; {@code -} is standard input
   * @param isInputKnown whether equal items of standard input are the same task; otherwise each
   *     item is a new task
   */
  static ListedTasks read(Invocation call, String name, boolean isInputKnown) {
    boolean piped = name.equals("-");
    Path path = call.environment().path(name);
    CheckList list = CheckList.parse(piped ? call.piped() : TextFile.read("the file", path));
    String place = piped ? name : inRepository(path);
    ListedTasks tasks =
        new ListedTasks(call, piped && !isInputKnown ? null : PREFIX + hash(place) + "-");
    tasks.addItems(list.items(), new HashMap<>());
    for (int line : list.doubtful()) {
      call.warn((piped ? "line " : path + ":") + line + ": not a valid item; write '- [ ] text'");
    }
    return tasks;
  }

  /** Returns the path relative to the repository, so that a clone has the same keys. */
  private static String inRepository(Path path) {
    Path whole = path.toAbsolutePath().normalize();
    Path folder = whole.getParent();
    for (Path top : folder == null ? List.<Path>of() : GitCeilings.ofProcess().upward(folder)) {
      if (Files.exists(top.resolve(".git"))) {
        return top.relativize(whole).toString().replace('\\', '/');
      }
    }
    return whole.toString();
  }

  private static String hash(String text) {
    return Sha256.of(text).substring(0, HASH_LENGTH);
  }

  /**
   * Adds items, each after the items below it.
   *
   * @return the indexes of the open items on which a parent task depends
   */
  private List<Integer> addItems(List<CheckList.Item> items, Map<String, Integer> counts) {
    List<Integer> added = new ArrayList<>();
    for (CheckList.Item item : items) {
      List<Integer> below = addItems(item.below(), counts);
      String text = call.kept(item.text());
      String headings = hash(String.join("\n", item.headings()));
      String key = prefix + headings + "-" + hash(text);
      key += "-" + counts.merge(key, 1, Integer::sum);
      String story = item.story();
      String content = story == null ? text : text + "\n\n" + STORY + call.kept(story);
      TaskAlignment.Line line = new TaskAlignment.Line(headings, "", "", false, text);
      entries.add(new Entry(line, content, item.isDone(), key, below));
      if (item.isDone()) {
        added.addAll(below);
      } else {
        added.add(entries.size() - 1);
      }
    }
    return added;
  }

  /** Returns whether the list has no open item. */
  public boolean isEmpty() {
    return entries.stream().allMatch(Entry::done);
  }

  /** Adds the open items missing in the session, and edits the tasks of edited items. */
  public List<Task> addTo(Session session) {
    return addTo(session, task -> task);
  }

  /**
   * Adds the open items missing in the session, and edits the tasks of edited items.
   *
   * @param options completes a task before its addition
   * @return the tasks of all open items in the order of the file, each item after the items below
   *     it
   */
  List<Task> addTo(Session session, UnaryOperator<NewTask> options) {
    List<Task> before = new ArrayList<>();
    for (Task task : session.tasks().list()) {
      String key = task.key();
      if (prefix != null && key != null && key.startsWith(prefix)) {
        before.add(task);
      }
    }
    Task[] known = align(before);
    Set<String> used = new HashSet<>();
    before.forEach(task -> used.add(String.valueOf(task.key())));
    List<NewTask> tasks = new ArrayList<>();
    String[] places = new String[entries.size()];
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      if (entry.done()) {
        continue;
      }
      Task same = known[i];
      String key = same == null ? newKey(entry.key(), used) : same.key();
      NewTask task = options.apply(NewTask.of(entry.content())).key(prefix == null ? null : key);
      for (int below : entry.below()) {
        task = task.dependsOn(String.valueOf(places[below]));
      }
      tasks.add(task);
      places[i] = "#" + tasks.size();
    }
    List<Task> added = new ArrayList<>(session.tasks().addAll(tasks));
    for (int i = 0; i < entries.size(); i++) {
      if (places[i] != null && known[i] != null && isEdited(entries.get(i), known[i])) {
        int place = Integer.parseInt(places[i].substring(1)) - 1;
        added.set(place, edited(session, known[i], entries.get(i)));
      }
    }
    return added;
  }

  /**
   * Returns whether the text of an item differs from the text that its task has from the file or
   * from an edit.
   */
  private static boolean isEdited(Entry entry, Task task) {
    return !entry.key().equals(task.key()) && !task.content().equals(entry.content());
  }

  private Task edited(Session session, Task task, Entry entry) {
    if (task.status() == Task.Status.COMPLETED || task.status() == Task.Status.CANCELLED) {
      call.warn(
          "t"
              + task.number()
              + " is "
              + task.status().word()
              + ", so the edited item '"
              + entry.line().text().lines().findFirst().orElse("")
              + "' has no effect; for new work: ralph task add");
      return task;
    }
    return session.tasks().edit(task.id(), TaskEdit.of().content(entry.content()));
  }

  private static String newKey(String key, Set<String> used) {
    String free = key;
    for (int n = 2; !used.add(free); n++) {
      free = key.substring(0, key.lastIndexOf('-') + 1) + n;
    }
    return free;
  }

  /** Returns the existing task of each item, or null. */
  private @Nullable Task[] align(List<Task> before) {
    Set<String> texts = new HashSet<>();
    Map<String, TaskAlignment.Line> byKey = new HashMap<>();
    for (Entry entry : entries) {
      texts.add(entry.line().text());
      byKey.put(entry.key(), entry.line());
    }
    List<TaskAlignment.Line> lines = new ArrayList<>();
    Map<String, Integer> oldOf = new HashMap<>();
    for (Task task : before) {
      oldOf.put(String.valueOf(task.key()), lines.size());
      TaskAlignment.Line line = line(task);
      TaskAlignment.Line same = byKey.get(String.valueOf(task.key()));
      // A task whose text was edited in the session still belongs to its item of the list.
      lines.add(same != null && !texts.contains(line.text()) ? same : line);
    }
    int[] matches =
        TaskAlignment.match(lines, List.of(), entries.stream().map(Entry::line).toList());
    @Nullable Task[] known = new Task[entries.size()];
    for (int i = 0; i < known.length; i++) {
      known[i] = matches[i] < 0 ? null : before.get(matches[i]);
    }
    Set<@Nullable Task> matched = new HashSet<>(Arrays.asList(known));
    for (int i = 0; i < known.length; i++) {
      Integer old = known[i] == null ? oldOf.get(entries.get(i).key()) : null;
      if (old != null
          && entries.get(i).line().text().equals(lines.get(old).text())
          && matched.add(before.get(old))) {
        known[i] = before.get(old);
      }
    }
    return known;
  }

  /** Reconstructs the item of a task from the task's key and text. */
  private TaskAlignment.Line line(Task task) {
    String headings = String.valueOf(task.key()).substring(String.valueOf(prefix).length());
    String story = headings.length() < HASH_LENGTH ? "" : headings.substring(0, HASH_LENGTH);
    String text = task.content();
    int context = text.lastIndexOf("\n\n" + STORY);
    boolean isLast = context >= 0 && text.indexOf('\n', context + 2) < 0;
    return new TaskAlignment.Line(story, "", "", false, isLast ? text.substring(0, context) : text);
  }
}
