package dev.ralph.tx;

import dev.ralph.log.RalphException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The name of a file, {@code {mmddhhmmss}-{type}-{from}--{to}-{msg-id}.md}. A name is only a hint.
 * Types, agents and ids contain hyphens, so several messages can have the same name, and the end of
 * the recipient's name is ambiguous. Fields that are missing in the front matter are completed from
 * the name if it is unambiguous.
 */
final class TxName {

  static final String EXTENSION = ".md";
  private static final String ORPHAN = "-orphan";

  /** The limit of file systems in bytes, minus the length of {@link #ORPHAN}. */
  private static final int LONGEST = 255 - ORPHAN.length();

  private static final Pattern SHAPE = Pattern.compile("\\d{10}-(.+)", Pattern.DOTALL);
  private static final String SEPARATOR = "--";
  private static final String OLDER_SEPARATOR = ">";
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]*");
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("MMddHHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

  /**
   * The types, longest word first, because {@code task-complete} must match before {@code task}.
   */
  private static final List<TxType> LONGEST_FIRST =
      Arrays.stream(TxType.values())
          .sorted(Comparator.comparing((TxType type) -> type.word().length()).reversed())
          .toList();

  private final String whole;
  private final String rest;

  private TxName(String whole, String rest) {
    this.whole = whole;
    this.rest = rest;
  }

  // ---- written

  /**
   * Returns the file name of a complete message.
   *
   * @throws RalphException INVALID if the id is invalid in file names, or the name would be too
   *     long
   */
  static String of(TxMessage message) {
    String id = Objects.requireNonNull(message.id());
    if (!ID.matcher(id).matches() || id.endsWith(ORPHAN)) {
      throw RalphException.invalid(
          "the msg-id "
              + RalphException.quote(id)
              + " cannot be part of a file name: use letters, digits, '_', '-' and '.', with"
              + " neither '-' nor '.' at the start nor '-orphan' at the end");
    }
    Instant time = Objects.requireNonNull(message.timestamp());
    String name =
        STAMP.format(time)
            + "-"
            + Objects.requireNonNull(message.type()).word()
            + "-"
            + Objects.requireNonNull(message.from()).agent()
            + SEPARATOR
            + Objects.requireNonNull(message.to()).agent()
            + "-"
            + id
            + EXTENSION;
    int length = name.getBytes(StandardCharsets.UTF_8).length;
    if (length > LONGEST) {
      throw RalphException.invalid(
          "the file name would have "
              + length
              + " characters; at most "
              + LONGEST
              + " are allowed; choose a shorter msg-id");
    }
    return name;
  }

  /** Returns the name that TX gives to a file when it sets the file aside. */
  static String orphan(String file) {
    return file.substring(0, file.length() - EXTENSION.length()) + ORPHAN + EXTENSION;
  }

  // ---- read

  /** Parses a file name; every name is allowed. */
  static TxName parse(String file) {
    String whole =
        file.endsWith(EXTENSION) ? file.substring(0, file.length() - EXTENSION.length()) : file;
    Matcher shape = SHAPE.matcher(whole);
    return new TxName(whole, shape.matches() ? shape.group(1) : "");
  }

  /** Returns whether the name has the format of TX. */
  boolean isUsual() {
    return !rest.isEmpty() && separatorAt() > 0;
  }

  /** Returns whether the name has TX's earlier format, with {@code >} between the agents. */
  boolean isOlder() {
    return rest.contains(OLDER_SEPARATOR);
  }

  /**
   * Returns whether TX has set the file aside because no agent was there to receive the message.
   *
   * @param id the id of its message, which may itself end with {@code -orphan}, or null
   */
  boolean isOrphan(@Nullable String id) {
    boolean own = id != null && id.endsWith(ORPHAN) && whole.endsWith("-" + id);
    return whole.endsWith(ORPHAN) && !own;
  }

  /** Returns whether a message of a type may have this name. */
  boolean mayBeOf(TxType type) {
    return rest.startsWith(type.word() + "-");
  }

  /**
   * Returns whether a message from or to an agent may have this name.
   *
   * @param agent {@code mesh/agent}, or the name of an agent in any mesh
   */
  boolean mayName(String agent) {
    int slash = agent.indexOf('/');
    return names(agent.substring(slash + 1)) || slash > 0 && names(agent.substring(0, slash));
  }

  /** Returns whether the name contains a word between hyphens or {@code >}. */
  private boolean names(String name) {
    for (int at = rest.indexOf(name); at >= 0; at = rest.indexOf(name, at + 1)) {
      if (isBoundary(at - 1) && isBoundary(at + name.length())) {
        return true;
      }
    }
    return false;
  }

  private boolean isBoundary(int at) {
    return at >= 0 && at < rest.length() && (rest.charAt(at) == '-' || rest.charAt(at) == '>');
  }

  /** Returns whether a message can have this name, in the present or an earlier format. */
  boolean fits(TxMessage message) {
    TxType type = message.type();
    TxAddress from = message.from();
    TxAddress to = message.to();
    String id = message.id();
    if (type == null || from == null || to == null || id == null) {
      return true; // a field was taken from the name
    }
    String found = isOrphan(id) ? withoutOrphan() : rest;
    for (String sender : names(from)) {
      for (String recipient : names(to)) {
        for (String separator : List.of(SEPARATOR, OLDER_SEPARATOR)) {
          if (found.equals(type.word() + "-" + sender + separator + recipient + "-" + id)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private static Set<String> names(TxAddress address) {
    String both = address.mesh() + "-" + address.agent();
    return address.mesh().equals(address.agent())
        ? Set.of(address.agent(), both)
        : Set.of(address.agent(), address.mesh(), both);
  }

  @Nullable TxType type() {
    for (TxType type : LONGEST_FIRST) {
      if (rest.startsWith(type.word() + "-")) {
        return type;
      }
    }
    return null;
  }

  /** Returns the sender's name if the type is known, or null. */
  @Nullable String from() {
    TxType type = type();
    int begin = type == null ? -1 : type.word().length() + 1;
    int end = separatorAt();
    return begin > 0 && end > begin ? rest.substring(begin, end) : null;
  }

  /**
   * Returns the recipient's name if it is unambiguous, or null.
   *
   * @param id the id of the message, or null
   */
  @Nullable String to(@Nullable String id) {
    String both = toAndId();
    if (id != null) {
      String end = "-" + id;
      return both.length() > end.length() && both.endsWith(end)
          ? both.substring(0, both.length() - end.length())
          : null;
    }
    int hyphen = onlyHyphen(both);
    return hyphen > 0 ? both.substring(0, hyphen) : null;
  }

  /**
   * Returns the id of the message if it is unambiguous, or null.
   *
   * @param to the recipient of the message, or null
   */
  @Nullable String id(@Nullable TxAddress to) {
    String both = toAndId();
    if (to != null) {
      for (String name : List.of(to.mesh() + "-" + to.agent(), to.agent(), to.mesh())) {
        if (both.length() > name.length() + 1 && both.startsWith(name + "-")) {
          return both.substring(name.length() + 1);
        }
      }
      return null;
    }
    int hyphen = onlyHyphen(both);
    return hyphen > 0 && hyphen + 1 < both.length() ? both.substring(hyphen + 1) : null;
  }

  private static int onlyHyphen(String text) {
    int first = text.indexOf('-');
    return first == text.lastIndexOf('-') ? first : -1;
  }

  private String toAndId() {
    int separator = separatorAt();
    if (separator < 0) {
      return "";
    }
    String found = whole.endsWith(ORPHAN) ? withoutOrphan() : rest;
    int begin = separator + (isOlder() ? OLDER_SEPARATOR : SEPARATOR).length();
    return begin < found.length() ? found.substring(begin) : "";
  }

  private String withoutOrphan() {
    return rest.endsWith(ORPHAN) ? rest.substring(0, rest.length() - ORPHAN.length()) : rest;
  }

  private int separatorAt() {
    return rest.indexOf(isOlder() ? OLDER_SEPARATOR : SEPARATOR);
  }
}
