package dev.ralph.openspec.internal;

import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.core.internal.text.PlainPath;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of an OpenSpec change, read from its folder. Immutable; safe for use by many threads.
 *
 * <p>Parts that violate OpenSpec's format are listed as {@linkplain #problems() problems}; the rest
 * is read nevertheless.
 */
public final class Change {

  /** The folder of the changes, relative to the project. */
  public static final Path FOLDER = Path.of("openspec", "changes");

  private static final String ARCHIVE = "archive";

  /** The prefix that OpenSpec adds to the name of an archived change. */
  private static final Pattern ARCHIVED = Pattern.compile("^\\d{4}-\\d\\d-\\d\\d-");

  /** The folder below which no name may be a symbolic link. */
  private final Path root;

  private final Path folder;
  private final @Nullable String proposal;
  private final @Nullable String design;
  private final TaskFile tasks;

  /** The stories of the file, with the ids and keys of the session's tasks. */
  private final List<Story> stories;

  private final Specs specs;
  private final List<Problem> problems;

  /** The contents of the change's {@code spec.md} files, by file and as parsed. */
  private record Specs(
      Map<Path, String> texts, List<Requirement> requirements, List<Scenario> scenarios) {}

  private Change(Path root, Path folder) {
    this.root = root;
    this.folder = folder;
    List<Problem> found = new ArrayList<>();
    byte[] bytes = bytes(root, folder.resolve(TaskFile.NAME));
    this.tasks = TaskFile.of(bytes == null ? new byte[0] : bytes);
    this.stories = List.copyOf(tasks.stories());
    if (bytes == null) {
      found.add(new Problem(Path.of(TaskFile.NAME), 0, "missing, so the change has no stories"));
    } else {
      found.addAll(tasks.problems());
    }
    this.proposal = text(root, folder.resolve("proposal.md"));
    if (proposal == null) {
      found.add(new Problem(Path.of("proposal.md"), 0, "missing"));
    }
    this.specs = new Specs(new LinkedHashMap<>(), new ArrayList<>(), new ArrayList<>());
    for (Path spec : specs(root, folder.resolve("specs"))) {
      String text = text(root, spec);
      if (text != null) {
        Path file = folder.relativize(spec);
        specs.texts().put(file, text);
        SpecFile.read(file, text, specs.requirements(), specs.scenarios(), found);
      }
    }
    this.design = text(root, folder.resolve(DesignFile.NAME));
    this.problems = List.copyOf(found);
  }

  /** Copies a change with other stories. */
  private Change(Change read, List<Story> stories) {
    this.root = read.root;
    this.folder = read.folder;
    this.proposal = read.proposal;
    this.design = read.design;
    this.tasks = read.tasks;
    this.stories = List.copyOf(stories);
    this.specs = read.specs;
    this.problems = read.problems;
  }

  /**
   * Reads a change.
   *
   * @param project the folder with {@code openspec}
   * @throws NotFoundException if there is no such change; the message names the existing changes
   * @throws RalphException IO if the change can't be read; INVALID if one of its files or their
   *     folders, below the project, is a symbolic link
   */
  public static Change read(Path project, String name) {
    return new Change(project.normalize(), folder(project, name));
  }

  /** Returns the folder of a change, which exists and is not a symbolic link. Reads no files. */
  static Path folder(Path project, String name) {
    Path all = project.resolve(FOLDER).normalize();
    Path folder = all.resolve(name).normalize();
    if (!all.equals(folder.getParent())
        || !folder.getFileName().toString().equals(name)
        || !isName(name)
        || !Files.isDirectory(folder)) {
      requireNotArchived(all, name);
      List<String> known = names(project);
      throw RalphException.notFound(
          "no change " + RalphException.quote(name) + " in " + all + choices(known));
    }
    PlainPath.require(project.normalize(), folder);
    return folder;
  }

  private static void requireNotArchived(Path all, String name) {
    Path archive = all.resolve(ARCHIVE);
    if (name.isEmpty() || !Files.isDirectory(archive)) {
      return;
    }
    try (Stream<Path> archived = Files.list(archive)) {
      archived
          .filter(
              each -> ARCHIVED.matcher(each.getFileName().toString()).replaceFirst("").equals(name))
          .findFirst()
          .ifPresent(
              there -> {
                throw RalphException.notFound(
                    "the change "
                        + name
                        + " is archived, as "
                        + there
                        + "; to continue the change, move the folder back: "
                        + CommandLineWords.join(
                            List.of("mv", there.toString(), all.resolve(name).toString())));
              });
    } catch (IOException e) {
      throw FileFailure.of("list the changes in", archive, e);
    }
  }

  /**
   * Returns the names of the changes that are not archived, sorted.
   *
   * @param project the folder with {@code openspec}
   * @throws RalphException IO if the changes can't be listed
   */
  public static List<String> names(Path project) {
    Path all = project.resolve(FOLDER);
    if (!Files.isDirectory(all)) {
      return List.of();
    }
    try (Stream<Path> found = Files.list(all)) {
      return found
          .filter(Files::isDirectory)
          .map(each -> each.getFileName().toString())
          .filter(Change::isName)
          .sorted()
          .toList();
    } catch (IOException e) {
      throw FileFailure.of("list the changes in", all, e);
    }
  }

  private static boolean isName(String name) {
    return !name.equals(ARCHIVE) && !name.startsWith(".");
  }

  /**
   * Reads the change in a folder.
   *
   * @throws RalphException IO if the change can't be read; INVALID if one of its files or their
   *     folders is a symbolic link
   */
  public static Change read(Path folder) {
    return new Change(folder, folder);
  }

  /** Returns this change with the ids and keys of a plan. */
  Change with(TaskPlan plan) {
    return new Change(this, plan.applyTo(tasks.stories()));
  }

  private static List<Path> specs(Path root, Path folder) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    PlainPath.require(root, folder);
    try (Stream<Path> found = Files.walk(folder)) {
      return found
          .peek(each -> PlainPath.require(folder, each))
          .filter(each -> each.getFileName().toString().equals("spec.md"))
          .filter(Files::isRegularFile)
          .sorted()
          .toList();
    } catch (UncheckedIOException e) {
      throw FileFailure.of("list the specs in", folder, Objects.requireNonNull(e.getCause()));
    } catch (IOException e) {
      throw FileFailure.of("list the specs in", folder, e);
    }
  }

  private static @Nullable String text(Path root, Path file) {
    byte[] bytes = bytes(root, file);
    if (bytes == null) {
      return null;
    }
    String text = new String(bytes, StandardCharsets.UTF_8);
    return text.startsWith("\uFEFF") ? text.substring(1) : text;
  }

  private static byte @Nullable [] bytes(Path root, Path file) {
    PlainPath.requireFile(root, file);
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      throw FileFailure.of("read", file, e);
    }
  }

  /** Returns the name of the change, which is the name of its folder. */
  public String name() {
    return folder.getFileName().toString();
  }

  /** Returns the folder of the change. */
  public Path folder() {
    return folder;
  }

  /** Returns a file of the change for writing. The file is not a symbolic link. */
  Path file(String name) {
    Path file = folder.resolve(name);
    PlainPath.requireFile(root, file);
    return file;
  }

  /** Returns the text of {@code proposal.md}, or empty if the file is missing. */
  public Optional<String> proposal() {
    return Optional.ofNullable(proposal);
  }

  /** Returns the text of {@code design.md}, or empty if the file is missing. */
  public Optional<String> design() {
    return Optional.ofNullable(design);
  }

  /** Returns the stories, in the order of {@code tasks.md}. */
  public List<Story> stories() {
    return stories;
  }

  /** Returns the story with an id, if any. */
  public Optional<Story> story(String id) {
    return stories.stream().filter(story -> story.id().equals(id)).findFirst();
  }

  /**
   * Returns the story with an id.
   *
   * @throws NotFoundException if there is no such story; the message names the existing stories
   */
  public Story requireStory(String id) {
    return story(id)
        .orElseThrow(
            () ->
                RalphException.notFound(
                    "the change "
                        + name()
                        + " has no story "
                        + RalphException.quote(id)
                        + choices(stories().stream().map(Story::id).toList())));
  }

  /**
   * Returns whether the change has tasks. A change without tasks is not planned, and so not
   * complete.
   */
  public boolean hasTasks() {
    return !taskIds().isEmpty();
  }

  /**
   * Checks that the change has tasks.
   *
   * @throws NotFoundException if there are no tasks
   */
  public void requireTasks() {
    if (!hasTasks()) {
      throw RalphException.notFound(
          "the change "
              + name()
              + " has no tasks and cannot be completed; add tasks to "
              + folder.resolve(TaskFile.NAME)
              + ", below '## 1. Title', each as '- [ ] 1.1 DESCRIPTION'");
    }
  }

  /** Returns whether a story has a task with a key. */
  boolean hasKey(String key) {
    return stories.stream()
        .flatMap(story -> story.tasks().stream())
        .anyMatch(task -> task.key().equals(key));
  }

  /** Returns the number of tasks with an id. */
  long count(String id) {
    return stories.stream()
        .flatMap(story -> story.tasks().stream())
        .filter(task -> task.id().equals(id))
        .count();
  }

  /** Throws NotFoundException if no story has a task with an id. */
  void requireTask(String id) {
    if (count(id) == 0) {
      throw RalphException.notFound(
          "the change " + name() + " has no task " + RalphException.quote(id) + choices(taskIds()));
    }
  }

  private List<String> taskIds() {
    return stories().stream()
        .flatMap(story -> story.tasks().stream())
        .map(StoryTask::id)
        .distinct()
        .toList();
  }

  private static String choices(List<String> ids) {
    return ids.isEmpty() ? "" : "; available: " + String.join(", ", ids);
  }

  /** Returns the first story that is not complete, or empty if all are complete. */
  public Optional<Story> nextStory() {
    return stories.stream().filter(story -> !story.isComplete()).findFirst();
  }

  /** Returns the scenarios of all specs, in the order of the file names. */
  public List<Scenario> scenarios() {
    return List.copyOf(specs.scenarios());
  }

  /**
   * Returns the requirements of all specs, in the order of the file names. Text outside a
   * requirement, such as a section of renamings, is a requirement without a title.
   */
  public List<Requirement> requirements() {
    return List.copyOf(specs.requirements());
  }

  /** Returns the text of each {@code spec.md}, by its path relative to the change's folder. */
  Map<Path, String> specTexts() {
    return specs.texts();
  }

  /** Returns the problems of the files. */
  public List<Problem> problems() {
    return problems;
  }

  TaskFile taskFile() {
    return tasks;
  }

  @Override
  public String toString() {
    return name() + ", " + stories().size() + " stories";
  }

  /**
   * A problem in the files of a change. The rest of the file is read nevertheless.
   *
   * @param file the file, relative to the change's folder
   * @param line the line, from 1; 0 for the file as a whole
   * @param message the problem and its remedy
   */
  public record Problem(Path file, int line, String message) {

    @Override
    public String toString() {
      return file + (line == 0 ? "" : ":" + line) + ": " + message;
    }
  }

  /**
   * A requirement of a spec, as written.
   *
   * @param operation {@code ADDED}, {@code MODIFIED}, {@code REMOVED} or {@code RENAMED}; empty
   *     outside such a section
   * @param title the heading without {@code Requirement:}
   * @param text the Markdown below the heading, including scenarios
   */
  public record Requirement(String operation, String title, String text) {}

  /**
   * A scenario: the required behaviour in one case.
   *
   * @param requirement the name of its requirement
   * @param name the name of the scenario
   * @param given the preconditions
   * @param when the action; several actions are joined by "and"
   * @param then the expected results
   */
  public record Scenario(
      String requirement, String name, List<String> given, String when, List<String> then) {

    public Scenario {
      given = List.copyOf(given);
      then = List.copyOf(then);
    }
  }
}
