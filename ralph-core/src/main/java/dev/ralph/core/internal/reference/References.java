package dev.ralph.core.internal.reference;

import dev.ralph.AmbiguousException;
import dev.ralph.RalphException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import javax.annotation.Nullable;

/**
 * Finds things of one kind by reference: the kind's letter and the number ({@code t12}; a number
 * alone is no reference, for agents take it for a count), the id, or the beginning of the id, of
 * {@value #SHORTEST} characters at least. Immutable; safe for use by many threads.
 */
public final class References<E extends Referable> {

  /** The fewest characters of an id that count as a reference, as many as prompts show. */
  public static final int SHORTEST = 8;

  /** The characters of a whole id. */
  static final int WHOLE = 25;

  private static final int NAMED = 5;

  private final String kind;
  private final char letter;
  private final List<E> things;

  /** The things by id; null until first needed. Threads that need it at once make the same. */
  @Nullable private volatile Ids ids;

  /**
   * Makes the references to things.
   *
   * @param kind what they are called in messages
   * @param letter what stands before their numbers
   * @param things by increasing number; must not change any more
   */
  public References(String kind, char letter, List<E> things) {
    this.kind = kind;
    this.letter = letter;
    this.things = things;
  }

  /**
   * Returns the index of the thing referred to.
   *
   * @throws RalphException NOT_FOUND if there is none, AMBIGUOUS if it may be several; the message
   *     names some
   */
  public int find(String ref) {
    int index = numbered(ref);
    if (index >= 0) {
      return index;
    }
    Ids byId = ids();
    int from = byId.firstFrom(ref);
    int to = ref.length() < SHORTEST ? from : byId.endOf(ref, from);
    if (to - from == 1) {
      return byId.order[from];
    }
    if (from == to) {
      throw RalphException.notFound(notFound(ref));
    }
    throw ambiguous(ref, byId, from, to);
  }

  /** Returns the index of the only thing whose id begins with that text, or -1. */
  int findPrefix(String prefix) {
    Ids byId = ids();
    int from = byId.firstFrom(prefix);
    return byId.endOf(prefix, from) - from == 1 ? byId.order[from] : -1;
  }

  /** Returns the shortest reference by id, of 8 characters or more, that only this thing has. */
  public String shortId(int index) {
    return things.get(index).id().substring(0, ids().shortLength[index]);
  }

  /** Returns the reference by number. */
  public String number(int index) {
    return letter + Integer.toString(things.get(index).number());
  }

  /** Returns the thing's number and the beginning of its text. */
  public String describe(int index) {
    String title = things.get(index).title().strip();
    int end = title.indexOf('\n');
    String line = end < 0 ? title : title.substring(0, end);
    int characters = Math.min(line.length(), 60);
    if (characters < line.length() && Character.isHighSurrogate(line.charAt(characters - 1))) {
      characters--;
    }
    StringBuilder text = new StringBuilder(number(index)).append(' ');
    line.substring(0, characters)
        .codePoints()
        .forEach(c -> text.appendCodePoint(Character.isISOControl(c) ? ' ' : c));
    return text.append(characters < title.length() ? "…" : "").toString();
  }

  private int numbered(String ref) {
    int length = ref.length();
    if (length < 2 || length > 10 || ref.charAt(0) != letter) {
      return -1;
    }
    int number = 0;
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
      return what + ", for there is none at all yet";
    }
    List<String> some = new ArrayList<>();
    int from = Math.max(0, things.size() - NAMED);
    for (int i = from; i < things.size(); i++) {
      some.add(describe(i));
    }
    return what
        + "; use a number such as "
        + number(things.size() - 1)
        + ", an id, or its first "
        + SHORTEST
        + " characters or more; there "
        + (things.size() == 1 ? "is " : "are ")
        + (from > 0 ? from + " others and " : "")
        + String.join(", ", some);
  }

  private AmbiguousException ambiguous(String ref, Ids byId, int from, int to) {
    List<String> candidates = new ArrayList<>();
    List<String> named = new ArrayList<>();
    for (int i = from; i < to; i++) {
      int index = byId.order[i];
      candidates.add(shortId(index));
      if (named.size() < NAMED) {
        named.add(shortId(index) + " (" + describe(index) + ")");
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

  private Ids ids() {
    Ids known = ids;
    if (known == null) {
      known = new Ids(things);
      ids = known;
    }
    return known;
  }

  /** The ids in order, and how much of each it takes to tell it from its neighbours. */
  private static final class Ids {
    private final String[] sorted;
    private final int[] order;
    private final int[] shortLength;

    Ids(List<? extends Referable> things) {
      int size = things.size();
      Integer[] byId = new Integer[size];
      Arrays.setAll(byId, i -> i);
      Arrays.sort(byId, Comparator.comparing(i -> things.get(i).id()));
      sorted = new String[size];
      order = new int[size];
      shortLength = new int[size];
      for (int i = 0; i < size; i++) {
        order[i] = byId[i];
        sorted[i] = things.get(byId[i]).id();
      }
      int before = 0;
      for (int i = 0; i < size; i++) {
        int after = i + 1 < size ? inCommon(sorted[i], sorted[i + 1]) : 0;
        int needed = Math.max(SHORTEST, Math.max(before, after) + 1);
        shortLength[order[i]] = Math.min(needed, sorted[i].length());
        before = after;
      }
    }

    private static int inCommon(String one, String other) {
      int end = Math.min(one.length(), other.length());
      int i = 0;
      while (i < end && one.charAt(i) == other.charAt(i)) {
        i++;
      }
      return i;
    }

    /** Returns where the first id stands that is not smaller than the prefix. */
    int firstFrom(String prefix) {
      int found = Arrays.binarySearch(sorted, prefix);
      return found < 0 ? -found - 1 : found;
    }

    /** Returns where the ids end that begin with the prefix. */
    int endOf(String prefix, int from) {
      int end = from;
      while (end < sorted.length && sorted[end].startsWith(prefix)) {
        end++;
      }
      return end;
    }
  }
}
