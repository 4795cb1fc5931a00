package dev.ralph.tx;

import dev.ralph.log.RalphException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/**
 * Parses the YAML front matter of a file: names with a text, or with a list of texts.
 *
 * <p>The class reads the events of the YAML parser and builds no other objects. So aliases are
 * never followed, tags create no objects, and texts are not converted to numbers or dates.
 */
final class FrontMatter {

  /** The deepest nesting. All fields of TX are flatter than a list of maps of lists. */
  private static final int DEEPEST = 8;

  /** A line with a name and a plain text. */
  private static final Pattern PLAIN = Pattern.compile("([A-Za-z][A-Za-z0-9_-]*):[ \t](.*)");

  /**
   * A text that begins with {@code !} or {@code &}, but is not the tag or anchor of a list or map.
   */
  private static final Pattern MARKED_TEXT = Pattern.compile("[!&](\\S*+|\\S*+\\s++[^\\[{].*)");

  private static final LoadSettings SETTINGS =
      LoadSettings.builder().setLabel("front matter").build();

  /**
   * A field.
   *
   * @param texts the text, or the texts of a list
   * @param isList whether the field is a list
   * @param line the line in the file, from 1
   */
  record Field(List<String> texts, boolean isList, int line) {}

  private final String yaml;
  private final int lineBefore;
  private final FileProblems findings;
  private final Map<String, Field> fields = new LinkedHashMap<>();
  private final Iterator<Event> events;

  private FrontMatter(String yaml, int lineBefore, FileProblems findings) {
    this.yaml = yaml;
    this.lineBefore = lineBefore;
    this.findings = findings;
    this.events = new ParserImpl(SETTINGS, new StreamReader(SETTINGS, yaml));
  }

  /**
   * Parses fields. TX writes {@code headline: Fix: the login} without quotes, which is invalid
   * YAML. So invalid YAML is parsed again, with the texts of such lines in quotes.
   *
   * @param lineBefore the number of the line before the first line, from 1
   * @throws RalphException INVALID, with line and column, if the YAML is invalid or not the front
   *     matter of a message
   */
  static Map<String, Field> read(String yaml, int lineBefore, FileProblems findings) {
    FileProblems first = findings.another();
    try {
      String marked = withQuotedMarks(yaml);
      Map<String, Field> fields = new FrontMatter(marked, lineBefore, first).fields();
      findings.add(first);
      return fields;
    } catch (YamlEngineException broken) {
      RalphException failure = failure(broken, yaml, lineBefore, findings);
      String quoted = quoted(yaml);
      if (quoted.equals(yaml)) {
        throw failure;
      }
      int[] place = place(broken, yaml);
      findings.warn(
          lineBefore + place[0],
          place[1],
          "invalid YAML ("
              + reason(broken)
              + "); field texts were read literally: put texts with ': ' in double quotes");
      try {
        return new FrontMatter(quoted, lineBefore, findings).fields();
      } catch (YamlEngineException stillBroken) {
        throw failure;
      }
    }
  }

  private static RalphException failure(
      YamlEngineException broken, String yaml, int lineBefore, FileProblems findings) {
    int[] place = place(broken, yaml);
    return findings.failure(
        lineBefore + place[0],
        place[1],
        "the front matter is not valid YAML: " + reason(broken),
        broken);
  }

  private static String reason(YamlEngineException broken) {
    String reason =
        broken instanceof MarkedYamlEngineException marked
            ? marked.getProblem()
            : broken instanceof ReaderException unreadable
                ? String.format("contains the character U+%04X", unreadable.getCodePoint())
                : broken.getMessage();
    return OneLine.visible(reason == null ? "not parseable" : reason);
  }

  /** Returns the line and the column of a failure, from 1. */
  private static int[] place(YamlEngineException broken, String yaml) {
    if (broken instanceof MarkedYamlEngineException marked) {
      Optional<Mark> mark = marked.getProblemMark();
      if (mark.isPresent()) {
        return new int[] {mark.get().getLine() + 1, mark.get().getColumn() + 1};
      }
    } else if (broken instanceof ReaderException unreadable) {
      String before = before(yaml, unreadable.getPosition());
      int lines = (int) before.chars().filter(c -> c == '\n').count();
      return new int[] {lines + 1, before.length() - before.lastIndexOf('\n')};
    }
    return new int[] {1, 0};
  }

  private static String before(String yaml, int characters) {
    int end = Math.min(characters, yaml.codePointCount(0, yaml.length()));
    return yaml.substring(0, yaml.offsetByCodePoints(0, Math.max(0, end)));
  }

  /**
   * Quotes each single-line text that begins with an exclamation mark or an ampersand. In YAML the
   * first word of such a text would be a tag or an anchor.
   */
  private static String withQuotedMarks(String yaml) {
    if (yaml.indexOf('!') < 0 && yaml.indexOf('&') < 0) {
      return yaml;
    }
    String[] lines = yaml.split("\n", -1);
    for (int i = 0; i < lines.length; i++) {
      Matcher plain = PLAIN.matcher(lines[i].stripTrailing());
      String next = i + 1 < lines.length ? lines[i + 1] : "";
      boolean goesOn = next.startsWith(" ") || next.startsWith("\t") || next.startsWith("-");
      String text = plain.matches() ? plain.group(2).strip() : "";
      if (!goesOn && MARKED_TEXT.matcher(text).matches()) {
        lines[i] = plain.group(1) + ": '" + text.replace("'", "''") + "'";
      }
    }
    return String.join("\n", lines);
  }

  /** Quotes the plain text of each line. */
  private static String quoted(String yaml) {
    StringBuilder quoted = new StringBuilder(yaml.length());
    for (String line : yaml.split("\n", -1)) {
      Matcher plain = PLAIN.matcher(line.stripTrailing());
      String text = plain.matches() ? plain.group(2).strip() : "";
      if (isTakenAsItStands(text)) {
        quoted.append(plain.group(1)).append(": '").append(text.replace("'", "''")).append('\'');
      } else {
        quoted.append(line);
      }
      quoted.append('\n');
    }
    quoted.setLength(quoted.length() - 1);
    return quoted.toString();
  }

  /** Returns whether a text needs quotes. Quoted texts, lists, maps and blocks need none. */
  private static boolean isTakenAsItStands(String text) {
    if (text.isEmpty()) {
      return false;
    }
    char first = text.charAt(0);
    int closing = "\"'[{".indexOf(first);
    boolean enclosed =
        closing >= 0 && text.indexOf("\"']}".charAt(closing), 1) == text.length() - 1;
    boolean block = (first == '|' || first == '>') && text.length() <= 3;
    return !enclosed && !block;
  }

  // ---- single attempt

  private Map<String, Field> fields() {
    Event event = events.next();
    while (event.getEventId() == Event.ID.StreamStart
        || event.getEventId() == Event.ID.DocumentStart) {
      event = events.next();
    }
    if (event.getEventId() == Event.ID.StreamEnd || isEmpty(event)) {
      return fields;
    }
    if (event.getEventId() != Event.ID.MappingStart) {
      throw failure(event, "the front matter must be lines of the form 'name: text'");
    }
    for (event = events.next(); !isEnd(event); event = events.next()) {
      readField(event);
    }
    return fields;
  }

  private static boolean isEmpty(Event event) {
    return event instanceof ScalarEvent scalar && scalar.isPlain() && scalar.getValue().isEmpty();
  }

  private void readField(Event key) {
    if (!(key instanceof ScalarEvent name)) {
      findings.warn(line(key), "field ignored: its name must be a text");
      skip(key, 0);
      skip(events.next(), 0);
      return;
    }
    Field field = read(name.getValue(), events.next());
    if (field != null && fields.put(name.getValue(), field) != null) {
      findings.warn(
          field.line(), quote(name.getValue()) + " appears more than once; the last value is used");
    }
  }

  private @Nullable Field read(String name, Event value) {
    if (value instanceof ScalarEvent scalar) {
      noteComment(name, scalar);
      return isNothing(scalar) ? null : new Field(List.of(scalar.getValue()), false, line(value));
    }
    if (value.getEventId() == Event.ID.SequenceStart) {
      return new Field(readList(name), true, line(value));
    }
    if (value.getEventId() == Event.ID.Alias) {
      findings.warn(line(value), quote(name) + " ignored: YAML aliases are not supported");
    }
    skip(value, 0);
    return null;
  }

  private List<String> readList(String name) {
    List<String> texts = new ArrayList<>();
    for (Event event = events.next(); !isEnd(event); event = events.next()) {
      if (event instanceof ScalarEvent scalar) {
        texts.add(scalar.getValue());
      } else {
        findings.warn(line(event), "an item of " + quote(name) + " ignored: not a text");
        skip(event, 1);
      }
    }
    return texts;
  }

  private static boolean isNothing(ScalarEvent scalar) {
    String text = scalar.getValue();
    return scalar.isPlain() && (text.isEmpty() || text.equals("~") || text.equals("null"));
  }

  /**
   * Warns of a comment in a headline: in YAML the rest of {@code Fix #12} is a comment, which the
   * writer may not have intended.
   */
  private void noteComment(String name, ScalarEvent scalar) {
    Mark end = scalar.isPlain() ? scalar.getEndMark().orElse(null) : null;
    if (end == null || !name.equals(TxField.HEADLINE) || fields.containsKey(name)) {
      return;
    }
    String before = before(yaml, end.getIndex());
    int lineEnd = yaml.indexOf('\n', before.length());
    String rest = yaml.substring(before.length(), lineEnd < 0 ? yaml.length() : lineEnd);
    if (rest.stripLeading().startsWith("#")) {
      findings.warn(
          line(scalar),
          "text after '#' is read as a comment; put the "
              + name
              + " in double quotes to keep"
              + " the text");
    }
  }

  /**
   * Skips all events up to the end of a nested value.
   *
   * @param level the nesting depth of the value
   */
  private void skip(Event begin, int level) {
    int depth = level;
    Event event = begin;
    while (true) {
      if (isBegin(event)) {
        depth++;
        if (depth > DEEPEST) {
          throw failure(event, "the front matter is nested deeper than " + DEEPEST + " levels");
        }
      } else if (isEnd(event)) {
        depth--;
      }
      if (depth == level) {
        return;
      }
      event = events.next();
    }
  }

  private static boolean isBegin(Event event) {
    return event.getEventId() == Event.ID.MappingStart
        || event.getEventId() == Event.ID.SequenceStart;
  }

  private static boolean isEnd(Event event) {
    return event.getEventId() == Event.ID.MappingEnd || event.getEventId() == Event.ID.SequenceEnd;
  }

  private RalphException failure(Event event, String text) {
    int column = event.getStartMark().map(mark -> mark.getColumn() + 1).orElse(0);
    return findings.failure(line(event), column, text, null);
  }

  private int line(Event event) {
    return lineBefore + event.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
  }

  private static String quote(String name) {
    return RalphException.quote(name);
  }
}
