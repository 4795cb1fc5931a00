package dev.ralph.core.internal.prompt;

import dev.ralph.core.internal.text.TextFile;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A text with placeholders such as <code>{{tasks}}</code>, filled in one pass. Inserted text is not
 * parsed, so placeholders in messages or tasks stay unchanged. A backslash before the braces
 * escapes a placeholder.
 *
 * <p>Two rules keep the result readable. A line of only empty placeholders is omitted, with one of
 * the two blank lines around it. A section of several lines, such as the tasks, is separated from
 * adjacent text on the same line. Immutable.
 */
public final class PromptTemplate {

  /** Returns the position of a finding in a template, for a message. */
  private interface Place {
    String of(String what, int line);
  }

  private static final Place IN_TEXT =
      (what, line) -> what + " in line " + line + " of the template";

  private static final Pattern PLACEHOLDER =
      Pattern.compile("(\\\\?)\\{\\{[ \\t]*(" + TemplatePlaceholder.NAME + ")[ \\t]*}}");

  /** Probable misspellings of placeholders. A name after a dollar sign is a shell variable. */
  private static final Pattern MISTAKE = Pattern.compile("(?<![$\\\\{])\\{{1,2}([a-z_]+)}{1,2}");

  /** The names of placeholders in older templates; an empty value has no counterpart. */
  private static final Map<String, String> OLD_NAMES =
      Map.of("name", "session", "inbox_messages", "inbox", "n", "iteration", "pid", "");

  /** The session's state for an agent that chooses its task itself, without instructions. */
  static final String STATE = resource("state.md") + "\n{{extra}}\n";

  /** The built-in template for one of several agents with a task. */
  public static final String WORKER = resource("worker.md");

  /** The built-in template for one of several agents that builds without a task. */
  static final String UNASSIGNED = resource("unassigned.md");

  /** A piece of the template: text, or a placeholder unless it is null. */
  private record Piece(String text, @Nullable TemplatePlaceholder placeholder) {}

  private final List<List<Piece>> lines;
  private final Set<TemplatePlaceholder> placeholders;
  private final List<String> warnings;

  private PromptTemplate(
      List<List<Piece>> lines, Set<TemplatePlaceholder> placeholders, List<String> warnings) {
    this.lines = lines;
    this.placeholders = placeholders;
    this.warnings = warnings;
  }

  /**
   * Parses a template.
   *
   * @param own the host's own placeholders
   * @throws RalphException INVALID if the template is empty or has an unknown placeholder; the
   *     message names it, its line, and the known placeholders
   */
  static PromptTemplate parse(String text, Collection<TemplatePlaceholder> own) {
    return parse(requireText("the template", text), own, IN_TEXT);
  }

  /** Parses a template without placeholders of the host. */
  static PromptTemplate parse(String text) {
    return parse(text, List.of());
  }

  /**
   * Reads a template from a file.
   *
   * @param own the host's own placeholders
   * @throws RalphException as {@link #parse}, with file and line; NOT_FOUND if no such file exists,
   *     INVALID if not UTF-8, IO if unreadable
   */
  static PromptTemplate read(Path file, Collection<TemplatePlaceholder> own) {
    String text = TextFile.read("the template", file);
    return parse(
        requireText("the template " + RalphException.quote(file.toString()), text),
        own,
        (what, line) -> file + ":" + line + ": " + what);
  }

  private static String requireText(String what, String text) {
    if (text.isBlank()) {
      throw RalphException.invalid(
          what
              + " is empty, so the agent would get no instructions; omit the template for the"
              + " built-in template");
    }
    return text;
  }

  private static PromptTemplate parse(
      String text, Collection<TemplatePlaceholder> own, Place place) {
    List<List<Piece>> lines = new ArrayList<>();
    Set<TemplatePlaceholder> placeholders = new LinkedHashSet<>();
    Map<String, String> warnings = new LinkedHashMap<>();
    for (String line : text.split("\r?\n", -1)) {
      List<Piece> pieces = parseLine(line, lines.size() + 1, own, place);
      for (Piece piece : pieces) {
        if (piece.placeholder() == null) {
          findMistakes(piece.text(), lines.size() + 1, own, place, warnings);
        } else {
          placeholders.add(piece.placeholder());
        }
      }
      lines.add(pieces);
    }
    return new PromptTemplate(lines, placeholders, List.copyOf(warnings.values()));
  }

  /**
   * Parses a user's prompt. A prompt with placeholders is a template. Any other prompt is followed
   * by the state of the session.
   *
   * @param state the template of the state
   * @throws RalphException as {@link #parse}
   */
  static PromptTemplate ofPrompt(String text, String state, Collection<TemplatePlaceholder> own) {
    PromptTemplate prompt = parse(text, own, IN_TEXT);
    if (!prompt.placeholders.isEmpty()) {
      return prompt;
    }
    PromptTemplate added = parse("\n" + state);
    List<List<Piece>> lines = new ArrayList<>(prompt.lines);
    lines.addAll(added.lines);
    return new PromptTemplate(lines, added.placeholders, prompt.warnings);
  }

  /** Returns the default template. */
  static PromptTemplate builtIn() {
    return parse(builtInText());
  }

  /** Returns the text of the default template. */
  public static String builtInText() {
    return resource("state.md") + resource("instructions.md");
  }

  /**
   * Returns a template with a section before its text, unless the template already has the section.
   */
  PromptTemplate with(TemplatePlaceholder section) {
    if (placeholders.contains(section)) {
      return this;
    }
    List<List<Piece>> all = new ArrayList<>();
    all.add(List.of(new Piece("", section)));
    all.add(List.of(new Piece("", null)));
    all.addAll(lines);
    Set<TemplatePlaceholder> more = new LinkedHashSet<>(placeholders);
    more.add(section);
    return new PromptTemplate(all, more, warnings);
  }

  /** Returns the template's likely mistakes, each in a sentence. */
  public List<String> warnings() {
    return warnings;
  }

  /** Returns the placeholders of the template. */
  Set<TemplatePlaceholder> placeholders() {
    return placeholders;
  }

  /** Returns whether the template has a placeholder for the tools. */
  public boolean hasTools() {
    return placeholders.contains(TemplatePlaceholder.TOOLS);
  }

  /** Returns whether the template has a placeholder for the host's own text. */
  boolean hasExtra() {
    return placeholders.contains(TemplatePlaceholder.EXTRA);
  }

  /**
   * Fills the template. Each value is computed once, and only if the template has its placeholder.
   */
  String fill(Function<TemplatePlaceholder, String> values) {
    Map<TemplatePlaceholder, String> filled = new LinkedHashMap<>();
    for (TemplatePlaceholder placeholder : placeholders) {
      filled.put(placeholder, values.apply(placeholder));
    }
    Lines out = new Lines();
    for (List<Piece> pieces : lines) {
      if (isVanishing(pieces, filled)) {
        out.leaveOut();
      } else {
        pieces.forEach(piece -> append(piece, filled, out));
        out.endLine();
      }
    }
    return out.text();
  }

  private static void append(Piece piece, Map<TemplatePlaceholder, String> filled, Lines out) {
    TemplatePlaceholder placeholder = piece.placeholder();
    if (placeholder == null) {
      out.inline(piece.text());
    } else if (placeholder.isSection()) {
      out.section(filled.getOrDefault(placeholder, ""));
    } else {
      out.inline(filled.getOrDefault(placeholder, ""));
    }
  }

  private static boolean isVanishing(List<Piece> pieces, Map<TemplatePlaceholder, String> filled) {
    boolean anyPlaceholder = false;
    for (Piece piece : pieces) {
      anyPlaceholder |= piece.placeholder() != null;
      TemplatePlaceholder placeholder = piece.placeholder();
      String text = placeholder == null ? piece.text() : filled.getOrDefault(placeholder, "");
      if (!text.isBlank()) {
        return false;
      }
    }
    return anyPlaceholder;
  }

  private static List<Piece> parseLine(
      String line, int number, Collection<TemplatePlaceholder> own, Place place) {
    List<Piece> pieces = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    Matcher matcher = PLACEHOLDER.matcher(line);
    int from = 0;
    while (matcher.find()) {
      text.append(line, from, matcher.start());
      from = matcher.end();
      if (!matcher.group(1).isEmpty()) {
        text.append(line, matcher.start() + 1, matcher.end());
        continue;
      }
      TemplatePlaceholder placeholder = TemplatePlaceholder.named(matcher.group(2), own);
      if (placeholder == null) {
        throw unknown(
            place.of("unknown placeholder " + RalphException.quote(matcher.group()), number), own);
      }
      pieces.add(new Piece(text.toString(), null));
      text.setLength(0);
      pieces.add(new Piece("", placeholder));
    }
    pieces.add(new Piece(text.append(line, from, line.length()).toString(), null));
    return pieces;
  }

  private static RalphException unknown(String what, Collection<TemplatePlaceholder> own) {
    return RalphException.invalid(
        what
            + "; known placeholders: "
            + TemplatePlaceholder.list(own)
            + "; for literal text, write a backslash before the placeholder");
  }

  private static void findMistakes(
      String text,
      int line,
      Collection<TemplatePlaceholder> own,
      Place place,
      Map<String, String> warnings) {
    Matcher matcher = MISTAKE.matcher(text);
    while (matcher.find()) {
      String name = matcher.group(1);
      String meant = TemplatePlaceholder.named(name, own) != null ? name : OLD_NAMES.get(name);
      boolean escaped = matcher.group().equals("{{" + name + "}}");
      if (meant == null || escaped) {
        continue;
      }
      String found = place.of(matcher.group(), line) + " is not replaced; ";
      warnings.putIfAbsent(
          name,
          found
              + (meant.isEmpty()
                  ? "remove it: an agent ends the loop by the tools in {{tools}}"
                  : "write {{" + meant + "}}"));
    }
  }

  private static String resource(String name) {
    try (InputStream in = PromptTemplate.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("missing file in the library: " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("the library's file " + name + " can't be read", e);
    }
  }

  /** Builds the filled text line by line. */
  private static final class Lines {

    private final StringBuilder out = new StringBuilder();
    private boolean afterSection;
    private boolean leftOut;

    void inline(String text) {
      if (text.isEmpty()) {
        return;
      }
      if (afterSection && !text.isBlank()) {
        out.append('\n');
      }
      out.append(text);
      afterSection = false;
    }

    void section(String text) {
      if (text.isEmpty()) {
        return;
      }
      if (out.length() > 0 && out.charAt(out.length() - 1) != '\n') {
        out.append(afterSection ? "\n\n" : "\n");
      }
      out.append(text);
      afterSection = true;
    }

    void endLine() {
      boolean blank = out.length() == 0 || out.charAt(out.length() - 1) == '\n';
      boolean afterBlank = out.length() < 2 || out.charAt(out.length() - 2) == '\n';
      if (!(leftOut && blank && afterBlank)) {
        out.append('\n');
      }
      leftOut = false;
      afterSection = false;
    }

    void leaveOut() {
      leftOut = true;
    }

    /** Returns the text with one line break at its end. */
    String text() {
      int end = out.length();
      while (end > 0 && out.charAt(end - 1) == '\n') {
        end--;
      }
      return out.substring(0, end) + "\n";
    }
  }
}
