package dev.ralph.cli.task;

import dev.ralph.cli.text.CheckList;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A product requirements document in JSON, as written for other loops: an object with {@code
 * userStories}, or a list of features. A story has a title or a description, acceptance criteria or
 * steps, and {@code passes}.
 */
final class PrdFile {

  /**
   * A user story.
   *
   * @param id the id, or an empty text
   * @param text the whole text for an agent
   */
  record Story(String id, String text, boolean isDone) {}

  private record Ranked(BigDecimal priority, Story story) {}

  private static final String STORIES = "userStories";
  private static final String PASSES = "passes";

  /** The members of a story that are used. */
  private static final Set<String> USED =
      Set.of(
          "id", "title", "description", "acceptanceCriteria", "steps", "notes", "priority", PASSES);

  /** The rank of a story without a priority. */
  private static final BigDecimal LAST = BigDecimal.valueOf(Long.MAX_VALUE);

  private final String place;
  private final List<Story> stories;
  private final boolean isRanked;
  private final List<String> unused;

  private PrdFile(String place, List<Story> stories, boolean isRanked, List<String> unused) {
    this.place = place;
    this.stories = stories;
    this.isRanked = isRanked;
    this.unused = unused;
  }

  /**
   * Returns whether a text is JSON instead of Markdown. Text from standard input with check list
   * items and invalid JSON is Markdown, for example with front matter in braces.
   *
   * @param name the name of the file; empty for standard input
   */
  static boolean isPrd(String name, String text) {
    if (!name.isEmpty()) {
      return name.toLowerCase(Locale.ROOT).endsWith(".json");
    }
    String begin = text.stripLeading();
    boolean isLikeJson =
        begin.startsWith("{")
            || begin.startsWith("[") && begin.substring(1).stripLeading().startsWith("{");
    return isLikeJson && (CheckList.parse(text).items().isEmpty() || isJson(text));
  }

  private static boolean isJson(String text) {
    try {
      json(text);
      return true;
    } catch (RalphException e) {
      return false;
    }
  }

  /** Parses a document; a list becomes the member with the user stories. */
  private static Meta json(String text) {
    boolean isList = text.stripLeading().startsWith("[");
    return Meta.parse(isList ? "{\"" + STORIES + "\":" + text + "}" : text);
  }

  /**
   * Parses a document.
   *
   * @param place the name of the document in messages
   * @throws RalphException INVALID if the text has another format; the message names the place
   */
  static PrdFile parse(String place, String json) {
    Meta all;
    try {
      all = json(json);
    } catch (RalphException e) {
      throw RalphException.invalid(
          "invalid JSON in "
              + place
              + ": "
              + e.getMessage()
              + "; correct the JSON, or give a Markdown file with items '- [ ] text'");
    }
    List<Meta> found = all.objects(STORIES);
    if (!(all.value(STORIES) instanceof List<?> elements) || elements.size() != found.size()) {
      throw RalphException.invalid(
          "no list of user stories in "
              + place
              + "; write {\"userStories\": [{\"title\": …, \"passes\": false}]} or"
              + " [{\"description\": …, \"passes\": false}]");
    }
    List<Ranked> ranked = new ArrayList<>();
    for (Meta story : found) {
      BigDecimal priority = story.number("priority");
      Story read = story(place, ranked.size() + 1, story);
      ranked.add(new Ranked(priority == null ? LAST : priority, read));
    }
    boolean isRanked = ranked.stream().anyMatch(each -> !each.priority().equals(LAST));
    ranked.sort(Comparator.comparing(Ranked::priority));
    Set<String> unused = new LinkedHashSet<>();
    found.forEach(story -> unused.addAll(story.keys()));
    unused.removeAll(USED);
    unused.addAll(all.keys());
    unused.remove(STORIES);
    return new PrdFile(
        place, ranked.stream().map(Ranked::story).toList(), isRanked, List.copyOf(unused));
  }

  private static Story story(String place, int number, Meta story) {
    String title = line(story, "title");
    String description = line(story, "description");
    if (title.isEmpty() && description.isEmpty()) {
      throw RalphException.invalid(
          "user story "
              + number
              + " in "
              + place
              + " has no title and no description; add a member \"title\"");
    }
    String id = id(story);
    StringBuilder text = new StringBuilder(id.isEmpty() ? "" : id + ": ");
    text.append(title.isEmpty() ? description : title);
    if (!title.isEmpty() && !description.isEmpty()) {
      text.append("\n\n").append(description);
    }
    addList(text, "Acceptance criteria", lines(story.value("acceptanceCriteria")));
    addList(text, "Steps", lines(story.value("steps")));
    String notes = line(story, "notes");
    if (!notes.isEmpty()) {
      text.append("\n\nNotes: ").append(notes);
    }
    return new Story(id, text.toString(), story.isTrue(PASSES));
  }

  private static String id(Meta story) {
    OptionalLong number = story.integer("id");
    return number.isPresent() ? String.valueOf(number.getAsLong()) : line(story, "id");
  }

  private static String line(Meta story, String key) {
    String text = story.string(key);
    return text == null ? "" : text.strip();
  }

  /** Returns the entries of a list, or the lines of a text. */
  private static List<String> lines(@Nullable Object value) {
    if (value instanceof List<?> entries) {
      List<String> lines = new ArrayList<>();
      for (Object entry : entries) {
        lines.add(entry instanceof Meta object ? object.json() : String.valueOf(entry));
      }
      return lines;
    }
    return value == null ? List.of() : value.toString().strip().lines().toList();
  }

  private static void addList(StringBuilder text, String title, List<String> lines) {
    if (!lines.isEmpty()) {
      text.append("\n\n").append(title).append(':');
      lines.forEach(line -> text.append("\n- ").append(line.strip()));
    }
  }

  /** Returns the stories in the order of their priority, else of the document. */
  List<Story> stories() {
    return stories;
  }

  /** Returns a line for a person that describes how the document was understood. */
  String summary() {
    long done = stories.stream().filter(Story::isDone).count();
    return place
        + ": a PRD with "
        + stories.size()
        + (stories.size() == 1 ? " user story, " : " user stories, ")
        + (stories.size() - done)
        + " open, "
        + done
        + " with passes = true; in the order of "
        + (isRanked ? "priority" : "the file")
        + (unused.isEmpty() ? "" : "; not used: " + String.join(", ", unused));
  }
}
