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
 * A text with placeholders such as <code>{{tasks}}</code>, filled in one pass: what is inserted is
 * never looked at again, so a message or a task that holds a placeholder stays as it is. A
 * backslash before the braces keeps them as text.
 *
 * <p>So that a template reads well whatever is in the session: a line of placeholders that all come
 * out empty is left out, with one blank line of the two around it; and a section of several lines,
 * such as the tasks, is set apart from other text on its line. Immutable.
 */
public final class PromptTemplate {

  /** Returns, for a message, where something stands in a template. */
  private interface Place {
    String of(String what, int line);
  }

  private static final Place IN_TEXT =
      (what, line) -> what + " in line " + line + " of the template";

  private static final Pattern PLACEHOLDER =
      Pattern.compile("(\\\\?)\\{\\{[ \\t]*(" + Placeholder.NAME + ")[ \\t]*}}");

  /** Not after a dollar sign: a shell's variable is no mistake. */
  private static final Pattern MISTAKE = Pattern.compile("(?<![$\\\\{])\\{{1,2}([a-z_]+)}{1,2}");

  /** What older templates call the same thing; an empty name has no counterpart. */
  private static final Map<String, String> OLD_NAMES =
      Map.of("name", "session", "inbox_messages", "inbox", "n", "iteration", "pid", "");

  /** The session's state for an agent that chooses its task itself, without instructions. */
  static final String STATE = resource("state.md") + "\n{{extra}}\n";

  /** The built-in template for one of several agents, which has a task. */
  public static final String WORKER = resource("worker.md");

  /** The built-in template for one of several agents that builds and has no task. */
  static final String UNASSIGNED = resource("unassigned.md");

  /** One stretch of the template: text, or a placeholder where that is not null. */
  private record Piece(String text, @Nullable Placeholder placeholder) {}

  private final List<List<Piece>> lines;
  private final Set<Placeholder> placeholders;
  private final List<String> warnings;

  private PromptTemplate(
      List<List<Piece>> lines, Set<Placeholder> placeholders, List<String> warnings) {
    this.lines = lines;
    this.placeholders = placeholders;
    this.warnings = warnings;
  }

  /**
   * Reads a template.
   *
   * @param own the placeholders that the host fills in itself
   * @throws RalphException INVALID if it is empty, or holds an unknown placeholder, naming it, its
   *     line, and those there are
   */
  static PromptTemplate parse(String text, Collection<Placeholder> own) {
    return parse(requireText("the template", text), own, IN_TEXT);
  }

  /** Reads a template without placeholders of the host's own. */
  static PromptTemplate parse(String text) {
    return parse(text, List.of());
  }

  /**
   * Reads a template that stands in a file.
   *
   * @param own the placeholders that the host fills in itself
   * @throws RalphException as {@link #parse} does, naming file and line; NOT_FOUND if there is no
   *     such file, INVALID if it is not UTF-8, IO if it can't be read
   */
  static PromptTemplate read(Path file, Collection<Placeholder> own) {
    String text = TextFile.read("the template", file);
    return parse(
        requireText("the template " + RalphException.quote(file.toString()), text),
        own,
        (what, line) -> file + ":" + line + ": " + what);
  }

  private static String requireText(String what, String text) {
    if (text.isBlank()) {
      throw RalphException.invalid(
          what + " is empty, so an agent would be told nothing; leave it out for the built-in one");
    }
    return text;
  }

  private static PromptTemplate parse(String text, Collection<Placeholder> own, Place place) {
    List<List<Piece>> lines = new ArrayList<>();
    Set<Placeholder> placeholders = new LinkedHashSet<>();
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
   * Reads a prompt in a user's words: as a template if it has placeholders, else as text that is
   * followed by the state of the session.
   *
   * @param state the template of the state
   * @throws RalphException as {@link #parse} does
   */
  static PromptTemplate ofPrompt(String text, String state, Collection<Placeholder> own) {
    PromptTemplate prompt = parse(text, own, IN_TEXT);
    if (!prompt.placeholders.isEmpty()) {
      return prompt;
    }
    PromptTemplate added = parse("\n" + state);
    List<List<Piece>> lines = new ArrayList<>(prompt.lines);
    lines.addAll(added.lines);
    return new PromptTemplate(lines, added.placeholders, prompt.warnings);
  }

  /** Returns the template that is used where none is given. */
  static PromptTemplate builtIn() {
    return parse(builtInText());
  }

  /** Returns the text of the template that is used where none is given. */
  public static String builtInText() {
    return resource("state.md") + resource("instructions.md");
  }

  /** Returns this template with that section before its text, if it does not have it anywhere. */
  PromptTemplate with(Placeholder section) {
    if (placeholders.contains(section)) {
      return this;
    }
    List<List<Piece>> all = new ArrayList<>();
    all.add(List.of(new Piece("", section)));
    all.add(List.of(new Piece("", null)));
    all.addAll(lines);
    Set<Placeholder> more = new LinkedHashSet<>(placeholders);
    more.add(section);
    return new PromptTemplate(all, more, warnings);
  }

  /** Returns what in the template is allowed but hardly meant, each in a sentence. */
  public List<String> warnings() {
    return warnings;
  }

  /** Returns the placeholders in the template. */
  Set<Placeholder> placeholders() {
    return placeholders;
  }

  /** Returns whether the tools are named in it. */
  public boolean hasTools() {
    return placeholders.contains(Placeholder.TOOLS);
  }

  /** Returns whether the host's own text has a place in it. */
  boolean hasExtra() {
    return placeholders.contains(Placeholder.EXTRA);
  }

  /** Returns the template filled; each value is asked for once, and only if the template has it. */
  String fill(Function<Placeholder, String> values) {
    Map<Placeholder, String> filled = new LinkedHashMap<>();
    for (Placeholder placeholder : placeholders) {
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

  private static void append(Piece piece, Map<Placeholder, String> filled, Lines out) {
    Placeholder placeholder = piece.placeholder();
    if (placeholder == null) {
      out.inline(piece.text());
    } else if (placeholder.isSection()) {
      out.section(filled.getOrDefault(placeholder, ""));
    } else {
      out.inline(filled.getOrDefault(placeholder, ""));
    }
  }

  private static boolean isVanishing(List<Piece> pieces, Map<Placeholder, String> filled) {
    boolean anyPlaceholder = false;
    for (Piece piece : pieces) {
      anyPlaceholder |= piece.placeholder() != null;
      Placeholder placeholder = piece.placeholder();
      String text = placeholder == null ? piece.text() : filled.getOrDefault(placeholder, "");
      if (!text.isBlank()) {
        return false;
      }
    }
    return anyPlaceholder;
  }

  private static List<Piece> parseLine(
      String line, int number, Collection<Placeholder> own, Place place) {
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
      Placeholder placeholder = Placeholder.named(matcher.group(2), own);
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

  private static RalphException unknown(String what, Collection<Placeholder> own) {
    return RalphException.invalid(
        what
            + "; known are "
            + Placeholder.list(own)
            + "; to keep it as text, write a backslash before it");
  }

  private static void findMistakes(
      String text,
      int line,
      Collection<Placeholder> own,
      Place place,
      Map<String, String> warnings) {
    Matcher matcher = MISTAKE.matcher(text);
    while (matcher.find()) {
      String name = matcher.group(1);
      String meant = Placeholder.named(name, own) != null ? name : OLD_NAMES.get(name);
      boolean escaped = matcher.group().equals("{{" + name + "}}");
      if (meant == null || escaped) {
        continue;
      }
      String found = place.of(matcher.group(), line) + " is not filled in; ";
      warnings.putIfAbsent(
          name,
          found
              + (meant.isEmpty()
                  ? "there is nothing to fill in: an agent ends the loop by the tools in {{tools}}"
                  : "write {{" + meant + "}}"));
    }
  }

  private static String resource(String name) {
    try (InputStream in = PromptTemplate.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the library lacks its file " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("the library's file " + name + " can't be read", e);
    }
  }

  /** The filled text as it grows, line by line. */
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
