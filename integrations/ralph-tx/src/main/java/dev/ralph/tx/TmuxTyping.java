package dev.ralph.tx;

import dev.ralph.domain.ProcessIdentity;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The value of the typing option of a tmux session: {@code TIME-PROCESS-NUMBER} of the typist, if
 * there is one, and a slash. The marks of the last typed texts follow, separated by dots, newest
 * first.
 */
final class TmuxTyping {

  private static final Pattern FORM = Pattern.compile("([0-9-]*)/?([0-9a-f.]*)");

  /** The maximum number of marks, more than the deliveries in progress. */
  private static final int MARKS = 8;

  /** Time after which a typist counts as hanging, or as a process that can't be observed. */
  private static final Duration LONGEST = Duration.ofSeconds(15);

  /** The typists of this process. */
  private static final Set<String> TYPISTS = ConcurrentHashMap.newKeySet();

  private static final AtomicLong TYPED = new AtomicLong();

  private final String text;
  private final String typist;
  private final List<String> marks;

  private TmuxTyping(String text, String typist, List<String> marks) {
    this.text = text;
    this.typist = typist;
    this.marks = marks;
  }

  /** Registers a new typist and returns its name. Other typists wait for the end of the input. */
  static String begin() {
    String typist =
        System.currentTimeMillis()
            + "-"
            + ProcessHandle.current().pid()
            + "-"
            + TYPED.incrementAndGet();
    TYPISTS.add(typist);
    return typist;
  }

  /** Records that a typist has ended. */
  static void end(String typist) {
    TYPISTS.remove(typist);
  }

  private static TmuxTyping of(String typist, List<String> marks) {
    return new TmuxTyping(typist + "/" + String.join(".", marks), typist, marks);
  }

  /** Parses the value of the option. Returns null if the format is unknown. */
  static @Nullable TmuxTyping parse(String text) {
    Matcher form = FORM.matcher(text);
    return form.matches()
        ? new TmuxTyping(
            text,
            form.group(1),
            form.group(2).isEmpty() ? List.of() : List.of(form.group(2).split("\\.")))
        : null;
  }

  /** Returns the typist, or an empty text if none exists. */
  String typist() {
    return typist;
  }

  TmuxTyping by(String typist) {
    return of(typist, marks);
  }

  /** Returns this state after a text was typed, without a typist. */
  TmuxTyping typed(String text) {
    List<String> more = new ArrayList<>(marks.subList(0, Math.min(marks.size(), MARKS - 1)));
    more.add(0, mark(text));
    return of("", more);
  }

  boolean hasTyped(String text) {
    return marks.contains(mark(text));
  }

  private static String mark(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return UUID.nameUUIDFromBytes(bytes).toString().replace("-", "").substring(0, 16);
  }

  boolean isDone() {
    return typist.isEmpty();
  }

  /** Returns whether the typist is alive and will end its input. */
  boolean isLive() {
    String[] parts = typist.split("-", -1);
    if (parts.length != 3) {
      return false;
    }
    try {
      long age = System.currentTimeMillis() - Long.parseLong(parts[0]);
      ProcessIdentity here = ProcessIdentity.current();
      long pid = Long.parseLong(parts[1]);
      return pid == here.pid()
          ? TYPISTS.contains(typist)
          : Math.abs(age) < LONGEST.toMillis() && new ProcessIdentity(here.host(), pid, 0).isLive();
    } catch (NumberFormatException nobody) {
      return false;
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
