package dev.ralph.tx;

import dev.ralph.core.internal.text.Sha256;
import dev.ralph.core.internal.text.TextFile;
import dev.ralph.domain.Priority;
import dev.ralph.log.RalphException;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads messages, including messages by agents, people and older versions. Unclear parts are
 * reported as warnings. Fields come from the front matter; missing fields are completed from the
 * file name if it is unambiguous. The reader never writes.
 *
 * <p>Hostile files cost little time and memory. A file is rejected if longer than {@link
 * #LONGEST_FILE}, its front matter is longer than {@link #LONGEST_FRONT_MATTER}, or its front
 * matter is deeply nested.
 *
 * <p>Immutable; safe for use by many threads.
 */
final class TxReader {

  /** The maximum length of a file in bytes: far more than an agent can read at once. */
  static final int LONGEST_FILE = 8 << 20;

  /**
   * The maximum length of the front matter in bytes: a hundred times the length of TX's own fields.
   */
  static final int LONGEST_FRONT_MATTER = 64 << 10;

  private static final String FENCE = "---";

  private final ZoneId zone;

  /**
   * Creates a reader.
   *
   * @param zone the time zone of times without a zone
   */
  TxReader(ZoneId zone) {
    this.zone = Objects.requireNonNull(zone, "zone");
  }

  /** See {@link TxFolder#read}. */
  TxFile read(Path file) {
    return read(file, String.valueOf(file.getFileName()));
  }

  /** Reads a file that has, or will have, a name. */
  TxFile read(Path file, String name) {
    if (!Files.isRegularFile(file)) {
      throw RalphException.io(
          "cannot read "
              + file
              + ": "
              + (Files.isDirectory(file)
                  ? "is a folder"
                  : Files.exists(file) ? "not a regular file" : "no such file"));
    }
    byte[] bytes;
    try (InputStream in = new FileInputStream(file.toFile())) {
      bytes = in.readNBytes(LONGEST_FILE + 1);
    } catch (IOException e) {
      throw RalphException.io("cannot read " + file + ": " + e.getMessage(), e);
    }
    return read(name, bytes);
  }

  /**
   * Parses the bytes of a file.
   *
   * @param name the name of the file, without its folder
   * @throws RalphException see {@link #read(Path)}
   */
  TxFile read(String name, byte[] bytes) {
    FileProblems findings = new FileProblems(name);
    if (bytes.length > LONGEST_FILE) {
      throw findings.failure(0, 0, "the file has more than " + (LONGEST_FILE >> 20) + " MiB", null);
    }
    String text = text(bytes, findings);
    Fences fences = Fences.find(text, findings);
    Map<String, FrontMatter.Field> fields =
        FrontMatter.read(text.substring(fences.begin, fences.end), 1, findings);
    TxName hint = TxName.parse(name);
    TxMessage message =
        new Understanding(fields, findings, zone).message().body(body(text, fences));
    message = completed(message, fields, hint, findings);
    Map<String, String> texts = new HashMap<>();
    fields.forEach(
        (key, field) -> {
          if (!field.isList()) {
            texts.put(key, field.texts().get(0));
          }
        });
    return new TxFile(
        name, Sha256.of(bytes), message, hint.isOrphan(message.id()), texts, findings.all());
  }

  private static String text(byte[] bytes, FileProblems findings) {
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      findings.warn(0, "invalid UTF-8; invalid bytes are shown as \ufffd");
      text = new String(bytes, StandardCharsets.UTF_8);
    }
    return TextFile.withoutMark(text);
  }

  // ---- the parts of a file

  /**
   * The positions of the front matter and the body in a text.
   *
   * @param begin the begin of the front matter
   * @param end the end of the front matter
   * @param body the begin of the body
   */
  private record Fences(int begin, int end, int body) {

    static Fences find(String text, FileProblems findings) {
      int begin = nextLine(text, 0);
      if (!isFence(text, 0, begin)) {
        throw findings.failure(1, 0, "a message must begin with a line '---'", null);
      }
      int limit = begin + LONGEST_FRONT_MATTER;
      int at = begin;
      while (at < text.length() && at <= limit) {
        int next = nextLine(text, at);
        if (isFence(text, at, next)) {
          return new Fences(begin, at, next);
        }
        at = next;
      }
      throw findings.failure(
          1,
          0,
          at > limit
              ? "the front matter has more than " + (LONGEST_FRONT_MATTER >> 10) + " KiB"
              : "the front matter must end with a line '---'",
          null);
    }

    private static int nextLine(String text, int from) {
      int end = text.indexOf('\n', from);
      return end < 0 ? text.length() : end + 1;
    }

    private static boolean isFence(String text, int from, int to) {
      return text.startsWith(FENCE, from) && text.substring(from, to).strip().equals(FENCE);
    }
  }

  /** Returns the text after the blank line below the front matter, without the last line break. */
  private static String body(String text, Fences fences) {
    int begin = fences.body;
    if (text.startsWith("\n", begin)) {
      begin += 1;
    } else if (text.startsWith("\r\n", begin)) {
      begin += 2;
    }
    int end = text.length();
    if (end > begin && text.charAt(end - 1) == '\n') {
      end -= end - 1 > begin && text.charAt(end - 2) == '\r' ? 2 : 1;
    }
    return text.substring(begin, end);
  }

  /** Completes fields that are missing in the front matter from the file name. */
  private static TxMessage completed(
      TxMessage understood,
      Map<String, FrontMatter.Field> fields,
      TxName name,
      FileProblems findings) {
    if (!name.isUsual()) {
      findings.warn(
          0,
          "the file name does not match TX's pattern"
              + " {mmddhhmmss}-{type}-{from}--{to}-{msg-id}.md");
    } else if (name.isOlder()) {
      findings.warn(0, "the file name has the older form with '>' between the agents");
    }
    TxMessage message = understood;
    List<String> taken = new ArrayList<>();
    TxType type = name.type();
    if (isMissing(fields, TxField.TYPE) && type != null) {
      message = message.type(type);
      taken.add(TxField.TYPE);
    }
    String from = isMissing(fields, TxField.FROM) ? name.from() : null;
    message = take(message, from, message::from, TxField.FROM, taken);
    String id = isMissing(fields, TxField.ID) ? name.id(message.to()) : null;
    message = take(message, id, message::id, TxField.ID, taken);
    String to = isMissing(fields, TxField.TO) ? name.to(message.id()) : null;
    message = take(message, to, message::to, TxField.TO, taken);
    List<String> missing = message.missing();
    if (!missing.isEmpty()) {
      findings.warn(0, "missing fields: " + String.join(", ", missing));
    }
    if (!taken.isEmpty()) {
      findings.warn(0, "read from the file name: " + String.join(", ", taken));
    } else if (name.isUsual() && !name.fits(message)) {
      findings.warn(0, "the file name contradicts the front matter; the front matter is used");
    }
    return message;
  }

  private static boolean isMissing(Map<String, FrontMatter.Field> fields, String field) {
    return !fields.containsKey(field);
  }

  private static TxMessage take(
      TxMessage message,
      @Nullable String text,
      Function<String, TxMessage> change,
      String field,
      List<String> taken) {
    if (text == null) {
      return message;
    }
    try {
      TxMessage changed = change.apply(text);
      taken.add(field);
      return changed;
    } catch (RalphException unusable) {
      return message; // the field is reported as missing
    }
  }

  /** Converts the fields of a front matter to a message. */
  private static final class Understanding {
    private final Map<String, FrontMatter.Field> fields;
    private final FileProblems findings;
    private final ZoneId zone;
    private TxMessage message = TxMessage.EMPTY;

    Understanding(Map<String, FrontMatter.Field> fields, FileProblems findings, ZoneId zone) {
      this.fields = fields;
      this.findings = findings;
      this.zone = zone;
    }

    TxMessage message() {
      understand(TxField.TO, text -> message.to(address(TxField.TO, text)));
      understand(TxField.FROM, text -> message.from(address(TxField.FROM, text)));
      understand(TxField.TYPE, this::type);
      understand(TxField.STATUS, text -> message.status(text));
      understand(TxField.REQUESTER, text -> message.requester(address(TxField.REQUESTER, text)));
      understand(TxField.ID, text -> message.id(text));
      understand(TxField.IN_REPLY_TO, text -> message.inReplyTo(text));
      understand(TxField.HEADLINE, this::headline);
      understand(TxField.TIMESTAMP, this::timestamp);
      understand(TxField.PRIORITY, this::priority);
      understand(TxField.DEADLINE, this::deadline);
      tags();
      return message;
    }

    private void understand(String name, Function<String, TxMessage> change) {
      FrontMatter.Field field = fields.get(name);
      if (field == null) {
        return;
      }
      if (field.isList()) {
        findings.warn(field.line(), name + " ignored: must be a text, not a list");
        return;
      }
      try {
        message = change.apply(field.texts().get(0).strip());
      } catch (RalphException unusable) {
        findings.warn(field.line(), name + " ignored: " + String.valueOf(unusable.getMessage()));
      }
    }

    private TxAddress address(String name, String text) {
      TxAddress address = TxAddress.parse(text);
      if (text.indexOf('/') < 0) {
        findings.warn(line(name), name + " names no mesh: " + text + " is read as " + address);
      }
      return address;
    }

    private TxMessage type(String text) {
      TxType type = TxType.of(text);
      if (type == null) {
        throw RalphException.invalid(RalphException.quote(text) + " is not a message type");
      }
      return message.type(type);
    }

    private TxMessage headline(String text) {
      String visible = OneLine.visible(text);
      if (!visible.equals(text)) {
        findings.warn(
            line(TxField.HEADLINE),
            "line breaks or invisible characters in the headline were replaced by blanks");
      }
      return message.headline(visible);
    }

    private TxMessage timestamp(String text) {
      TxTime time = time(text);
      if (!time.isZoned()) {
        findings.warn(line(TxField.TIMESTAMP), "the timestamp has no time zone; assuming " + zone);
      }
      return message.timestamp(time.time());
    }

    private TxMessage deadline(String text) {
      TxTime time = time(text);
      if (!time.isZoned() && !time.isDate()) {
        findings.warn(line(TxField.DEADLINE), "the deadline has no time zone; assuming " + zone);
      }
      return message.deadline(time.end());
    }

    private TxTime time(String text) {
      TxTime time = TxTime.parse(text, zone);
      if (time == null) {
        throw RalphException.invalid(
            RalphException.quote(text) + " is not a time such as 2025-10-30T10:00:00Z");
      }
      return time;
    }

    private TxMessage priority(String text) {
      Priority priority = Priority.of(text);
      if (priority == null) {
        throw RalphException.invalid(
            RalphException.quote(text) + " is not a priority; use high, normal or low");
      }
      return message.priority(priority);
    }

    private void tags() {
      FrontMatter.Field field = fields.get(TxField.TAGS);
      if (field == null) {
        return;
      }
      List<String> tags =
          field.isList()
              ? field.texts()
              : Arrays.stream(field.texts().get(0).split(",")).map(String::strip).toList();
      try {
        message = message.tags(tags);
      } catch (RalphException unusable) {
        findings.warn(field.line(), "tags ignored: " + String.valueOf(unusable.getMessage()));
      }
    }

    private int line(String name) {
      FrontMatter.Field field = fields.get(name);
      return field == null ? 0 : field.line();
    }
  }
}
