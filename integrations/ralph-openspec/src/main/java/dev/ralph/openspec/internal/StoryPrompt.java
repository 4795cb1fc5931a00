package dev.ralph.openspec.internal;

import dev.ralph.Loop;
import dev.ralph.core.internal.text.TextExcerpt;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The part of the prompt that describes a change and its present story. */
public final class StoryPrompt {

  /**
   * The maximum number of characters of a document in the prompt, about 8,000 tokens. The agent
   * reads the rest from the file.
   */
  private static final int LONGEST = 32_000;

  private final ChangeSession work;
  private final String story;
  private final Supplier<String> complaint;

  /**
   * Creates the prompt of a story.
   *
   * @param story the id of the story
   * @param complaint returns the agent's mistake in the last iteration, or an empty text
   */
  StoryPrompt(ChangeSession work, String story, Supplier<String> complaint) {
    this.work = work;
    this.story = story;
    this.complaint = complaint;
  }

  /** Returns the template of the prompt, with the placeholders of {@link #addTo}. */
  public static String template() {
    try (InputStream in = StoryPrompt.class.getResourceAsStream("change.md")) {
      if (in == null) {
        throw new IllegalStateException("the resource change.md is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the resource change.md", e);
    }
  }

  void addTo(Loop.Builder loop) {
    loop.placeholder("change", () -> work.change().name() + ", in " + place())
        .placeholder("proposal", () -> document("proposal", work.change().proposal().orElse("")))
        .placeholder("design", () -> document("design", work.change().design().orElse("")))
        .placeholder("scenarios", () -> document("scenarios", scenarios()))
        .placeholder("story", this::story)
        .placeholder("verify", this::verify);
  }

  /** Returns the folder of the change, relative to the agent's folder. */
  private Path place() {
    return work.project().relativize(work.change().folder());
  }

  /**
   * Returns a document between tags, to separate the document's headings from the prompt's
   * headings.
   */
  private String document(String name, String text) {
    if (text.isBlank()) {
      return "";
    }
    Path file = place().resolve(name.equals("scenarios") ? "specs" : name + ".md");
    String shown =
        text.length() <= LONGEST
            ? text.strip()
            : text.substring(0, TextExcerpt.end(text, LONGEST)).strip()
                + "\n… the rest is in "
                + file;
    return "<" + name + ">\n" + shown + "\n</" + name + ">";
  }

  /** Returns the texts of the specs. If there are several, each follows the name of its file. */
  private String scenarios() {
    Map<Path, String> specs = work.change().specTexts();
    StringBuilder text = new StringBuilder();
    specs.forEach(
        (file, spec) ->
            text.append(specs.size() > 1 ? "File " + file + ":\n\n" : "")
                .append(spec.strip())
                .append("\n\n"));
    return text.toString();
  }

  private String story() {
    List<Story> all = work.change().stories();
    Story now = work.story(story);
    int place = all.stream().map(Story::id).toList().indexOf(story) + 1;
    String wrong = complaint.get();
    return (now.title().isEmpty() ? "Story " + now.id() : now.id() + ". " + now.title())
        + ", "
        + place
        + " of "
        + all.size()
        + "; "
        + now.done()
        + " of "
        + now.tasks().size()
        + " tasks are ticked."
        + (wrong.isEmpty() ? "" : "\n" + wrong);
  }

  private String verify() {
    return Verification.of(work.project()).all().stream()
        .map(command -> "  - " + command)
        .collect(Collectors.joining("\n"));
  }
}
