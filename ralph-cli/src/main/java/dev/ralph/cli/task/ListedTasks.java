package dev.ralph.cli.task;

import dev.ralph.NewTask;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.TaskEdit;
import dev.ralph.TaskList;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.github.IssueQuery;
import dev.ralph.cli.text.CheckList;
import dev.ralph.core.internal.process.GitCeilings;
import dev.ralph.core.internal.text.BoxPlace;
import dev.ralph.core.internal.text.Sha256;
import dev.ralph.core.internal.text.TaskAlignment;
import dev.ralph.core.internal.text.TextFile;
import dev.ralph.log.DamagedException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The items of a file's Markdown check lists, or the user stories of a {@link PrdFile}, as tasks.
 * Repeated reads of the file add each task only once.
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

  /** The file with the boxes; null for standard input and for user stories. */
  private final @Nullable Path file;

  private final List<Entry> entries = new ArrayList<>();
  private final Map<String, Integer> counts = new HashMap<>();
  private boolean areStories;

  /**
   * An item.
   *
   * @param below the indexes of the open items below, on which the task depends
   * @param item the item with the box; null for a user story
   */
  private record Entry(
      TaskAlignment.Line line,
      String content,
      boolean done,
      String key,
      List<Integer> below,
      CheckList.@Nullable Item item) {}

  private ListedTasks(Invocation call, @Nullable String prefix, @Nullable Path file) {
    this.call = call;
    this.prefix = prefix;
    this.file = file;
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
    if (IssueQuery.isQuery(name)) {
      throw new UsageException(
          "--tasks reads a file; to add issues: ralph task add --from " + name);
    }
    boolean piped = name.equals("-");
    Path path = call.environment().path(name);
    String text = piped ? call.piped() : TextFile.read("the file", path);
    String place = piped ? name : inRepository(path);
    String prefix = piped && !isInputKnown ? null : PREFIX + hash(place) + "-";
    if (PrdFile.isPrd(piped ? "" : name, text)) {
      PrdFile stories = PrdFile.parse(piped ? "standard input" : name, text);
      ListedTasks tasks = new ListedTasks(call, prefix, null);
      tasks.areStories = true;
      stories.stories().forEach(tasks::addStory);
      call.warn(stories.summary());
      return tasks;
    }
    CheckList list = CheckList.parse(text);
    ListedTasks tasks = new ListedTasks(call, prefix, piped ? null : path);
    tasks.addItems(list.items());
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
  private List<Integer> addItems(List<CheckList.Item> items) {
    List<Integer> added = new ArrayList<>();
    for (CheckList.Item item : items) {
      List<Integer> below = addItems(item.below());
      String text = call.kept(item.text());
      String headings = hash(String.join("\n", item.headings()));
      String story = item.story();
      String content = story == null ? text : text + "\n\n" + STORY + call.kept(story);
      TaskAlignment.Line line = new TaskAlignment.Line(headings, "", "", false, text);
      entries.add(new Entry(line, content, item.isDone(), key(headings, text), below, item));
      if (item.isDone()) {
        added.addAll(below);
      } else {
        added.add(entries.size() - 1);
      }
    }
    return added;
  }

  /** Adds a user story. Its id takes the place of the headings, so an edited story is found. */
  private void addStory(PrdFile.Story story) {
    String text = call.kept(story.text());
    String headings = hash(story.id());
    TaskAlignment.Line line = new TaskAlignment.Line(headings, "", "", false, text);
    entries.add(new Entry(line, text, story.isDone(), key(headings, text), List.of(), null));
  }

  /** Returns the key of the next item with a text. */
  private String key(String headings, String text) {
    String key = prefix + headings + "-" + hash(text);
    return key + "-" + counts.merge(key, 1, Integer::sum);
  }

  /** Returns whether the file has user stories instead of check lists. */
  public boolean areStories() {
    return areStories;
  }

  /** Returns the file with the boxes; null for standard input and for user stories. */
  public @Nullable Path file() {
    return file;
  }

  /**
   * Returns the places of unticked boxes in another state of the file. An item with another text
   * than its task is no evidence of completed work, because new work may have taken the place of
   * the item.
   *
   * @param text the present bytes of the file
   * @param tasks the tasks of the session
   * @param done selects the tasks whose boxes are to be ticked
   * @throws CharacterCodingException if the bytes are not UTF-8
   */
  public List<BoxPlace> boxes(byte[] text, TaskList tasks, Predicate<Task> done)
      throws CharacterCodingException {
    ListedTasks now = new ListedTasks(call, prefix, file);
    now.addItems(CheckList.parse(TextFile.decode(text)).items());
    @Nullable Task[] known = now.align(now.ofThisList(tasks));
    List<BoxPlace> places = new ArrayList<>();
    for (int i = 0; i < known.length; i++) {
      Entry entry = now.entries.get(i);
      CheckList.Item item = entry.item();
      Task task = known[i];
      if (item != null
          && !item.isDone()
          && item.mark() >= 0
          && task != null
          && now.hasText(task, entry)
          && done.test(task)) {
        places.add(place(text, item));
      }
    }
    return places;
  }

  /** Returns whether an item has the present text of a task, or the text that was added. */
  private boolean hasText(Task task, Entry entry) {
    return entry.key().equals(task.key()) || line(task).text().equals(entry.line().text());
  }

  private static BoxPlace place(byte[] text, CheckList.Item item) {
    int begin = 0;
    for (int line = 1; line < item.line(); line++) {
      begin = endOfLine(text, begin) + 1;
    }
    byte[] line = Arrays.copyOfRange(text, begin, endOfLine(text, begin));
    String decoded = new String(line, StandardCharsets.UTF_8);
    int mark = decoded.length() - TextFile.withoutMark(decoded).length() + item.mark();
    return new BoxPlace(
        begin, line, decoded.substring(0, mark).getBytes(StandardCharsets.UTF_8).length);
  }

  private static int endOfLine(byte[] text, int from) {
    int end = from;
    while (end < text.length && text[end] != '\n') {
      end++;
    }
    return end;
  }

  /** Returns whether the list has no open item. */
  public boolean isEmpty() {
    return entries.stream().allMatch(Entry::done);
  }

  /** Returns whether the list has items, and all are ticked. */
  public boolean isComplete() {
    return !entries.isEmpty() && isEmpty();
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
    List<Task> before = ofThisList(session.tasks().list());
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

  private List<Task> ofThisList(TaskList tasks) {
    List<Task> known = new ArrayList<>();
    for (Task task : tasks) {
      String key = task.key();
      if (prefix != null && key != null && key.startsWith(prefix)) {
        known.add(task);
      }
    }
    return known;
  }

  /**
   * Returns whether the text of an item differs from the text that its task has from the file or
   * from an edit.
   */
  private static boolean isEdited(Entry entry, Task task) {
    String content = content(task);
    if (content == null) {
      return !isEnded(task); // an edit restores damaged content
    }
    return !entry.key().equals(task.key()) && !content.equals(entry.content());
  }

  private Task edited(Session session, Task task, Entry entry) {
    if (isEnded(task)) {
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

  private static boolean isEnded(Task task) {
    return task.status() == Task.Status.COMPLETED || task.status() == Task.Status.CANCELLED;
  }

  /** Returns the content of a task: empty if erased, null if damaged. */
  private static @Nullable String content(Task task) {
    try {
      return task.content();
    } catch (DamagedException lost) {
      return null;
    }
  }

  /** Reconstructs the item of a task from key and text. */
  private TaskAlignment.Line line(Task task) {
    String headings = String.valueOf(task.key()).substring(String.valueOf(prefix).length());
    String story = headings.length() < HASH_LENGTH ? "" : headings.substring(0, HASH_LENGTH);
    String content = content(task);
    String text = content == null ? "" : content;
    int context = text.lastIndexOf("\n\n" + STORY);
    boolean isLast = context >= 0 && text.indexOf('\n', context + 2) < 0;
    return new TaskAlignment.Line(story, "", "", false, isLast ? text.substring(0, context) : text);
  }
}
