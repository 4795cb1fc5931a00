package dev.ralph.domain;

import dev.ralph.core.internal.text.TextExcerpt;
import dev.ralph.log.AmbiguousException;
import dev.ralph.log.RalphException;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds entries of one kind by reference; see {@link NumberedList}. Immutable; safe for use by many
 * threads.
 */
final class References<E extends Numbered> {

  /** The least number of characters of an abbreviated id, as in prompts. */
  static final int SHORTEST = 8;

  /** The number of characters of a whole id. */
  static final int WHOLE = 25;

  /** The number of digits of the largest number. */
  private static final int LONGEST_NUMBER = 10;

  private static final int NAMED = 5;

  /** The number of characters of a title in messages. */
  private static final int TITLE = 60;

  private final String kind;
  private final char letter;
  private final List<E> things;

  private final IdIndex ids;

  References(String kind, char letter, List<E> things, IdIndex ids) {
    this.kind = kind;
    this.letter = letter;
    this.things = things;
    this.ids = ids;
  }

  /** Returns the entries by increasing number; immutable. */
  List<E> things() {
    return things;
  }

  /**
   * Returns the index of the entry with a reference.
   *
   * @throws RalphException NOT_FOUND if no entry matches, AMBIGUOUS if several match; the message
   *     names some entries
   */
  int find(String ref) {
    int index = numbered(ref);
    if (index < 0 && ref.length() == WHOLE && !ids.isReady()) {
      index = newestOf(ref);
    }
    if (index >= 0) {
      return index;
    }
    int from = ids.firstRank(ref, things);
    int to = ref.length() < SHORTEST ? from : ids.endRank(ref, from, things);
    if (to - from == 1) {
      return ids.indexOf(from, things);
    }
    if (from == to) {
      throw RalphException.notFound(notFound(ref));
    }
    throw ambiguous(ref, from, to);
  }

  /** Searches the newest entries without the index, because most lookups are of new entries. */
  private int newestOf(String id) {
    int index = things.size() - 1;
    while (index >= 0 && !things.get(index).id().equals(id)) {
      index--;
    }
    return index;
  }

  /** Returns the shortest unique prefix of the id, at least 8 characters. */
  String shortId(int index) {
    return things.get(index).id().substring(0, ids.shortLength(index, SHORTEST, things));
  }

  /** Returns the reference by number. */
  String number(int index) {
    return letter + Integer.toString(things.get(index).number());
  }

  /** Returns the entry's number and the beginning of its title. */
  String describe(int index) {
    return number(index) + " " + TextExcerpt.firstLine(things.get(index).title(), TITLE);
  }

  /** Returns the description with the title in quotes, for use within a sentence. */
  private String quoted(int index) {
    String text = TextExcerpt.firstLine(things.get(index).title(), TITLE);
    return number(index) + " " + (things.get(index).isTitleItsText() ? "'" + text + "'" : text);
  }

  private int numbered(String ref) {
    int length = ref.length();
    if (length < 2 || length > LONGEST_NUMBER + 1 || ref.charAt(0) != letter) {
      return -1;
    }
    long number = 0;
    for (int i = 1; i < length; i++) {
      char c = ref.charAt(i);
      if (c < '0' || c > '9') {
        return -1;
      }
      number = number * 10 + (c - '0');
    }
    int low = 0;
    int high = things.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int there = things.get(middle).number();
      if (there == number) {
        return middle;
      } else if (there < number) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -1;
  }

  private String notFound(String ref) {
    String what =
        ref.isEmpty()
            ? "a reference to a " + kind + " must not be empty"
            : "there is no " + kind + " " + RalphException.quote(ref);
    if (things.isEmpty()) {
      return what + "; the list is empty";
    }
    List<String> some = new ArrayList<>();
    int from = Math.max(0, things.size() - NAMED);
    for (int i = from; i < things.size(); i++) {
      some.add(quoted(i));
    }
    return what
        + "; use a number such as "
        + number(things.size() - 1)
        + ", an id, or its first "
        + SHORTEST
        + " characters or more; there "
        + (things.size() == 1 ? "is " : "are ")
        + String.join(", ", some)
        + (from > 0 ? " and " + from + " more" : "");
  }

  private AmbiguousException ambiguous(String ref, int from, int to) {
    List<String> candidates = new ArrayList<>();
    List<String> named = new ArrayList<>();
    for (int i = from; i < to; i++) {
      int index = ids.indexOf(i, things);
      candidates.add(shortId(index));
      if (named.size() < NAMED) {
        named.add(shortId(index) + " (" + quoted(index) + ")");
      }
    }
    int unnamed = to - from - named.size();
    return new AmbiguousException(
        RalphException.quote(ref)
            + " may be any of "
            + (to - from)
            + " "
            + kind
            + "s: "
            + String.join(", ", named)
            + (unnamed > 0 ? " and " + unnamed + " more" : ""),
        candidates);
  }
}
