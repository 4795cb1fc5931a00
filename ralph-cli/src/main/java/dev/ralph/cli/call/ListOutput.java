package dev.ralph.cli.call;

import dev.ralph.cli.terminal.Style;
import dev.ralph.log.Meta;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Prints a list, limited by {@code --limit}, and a hint to standard error how to list the omitted
 * elements. JSON answers have no limit by default.
 *
 * @param kind the kind of the JSON answer
 * @param member the name of the list in JSON and of its elements in messages
 * @param object renders an element as JSON
 * @param line renders an element as text
 */
public record ListOutput<T>(
    String kind, String member, Function<T, Meta> object, BiFunction<T, Style, String> line) {

  /**
   * The default limit for text, more than a person reads and less than a large session contains.
   */
  static final int LIMIT = 100;

  /**
   * Prints the newest elements of a list after a warning about omitted older elements.
   *
   * @param all the elements, oldest first
   * @param none the text for an empty list
   */
  public void answer(Invocation call, List<T> all, String none) {
    int leftOut = leftOut(call, all);
    List<T> shown = all.subList(leftOut, all.size());
    if (leftOut > 0) {
      call.warn(leftOut + " older " + member + " not shown; --limit " + all.size() + " shows all");
    }
    print(call, shown, leftOut, none);
  }

  /**
   * Prints the first elements of a list. The caller warns about omitted elements.
   *
   * @param all the elements in display order
   * @param none the text for an empty list
   * @return the number of omitted elements
   */
  public int answerFirst(Invocation call, List<T> all, String none) {
    int leftOut = leftOut(call, all);
    print(call, all.subList(0, all.size() - leftOut), leftOut, none);
    return leftOut;
  }

  private int leftOut(Invocation call, List<T> all) {
    int otherwise = call.json() ? Integer.MAX_VALUE : LIMIT;
    int limit = call.arguments().number("limit", otherwise, 1, Integer.MAX_VALUE);
    return Math.max(0, all.size() - limit);
  }

  private void print(Invocation call, List<T> shown, int leftOut, String none) {
    if (call.json()) {
      List<Meta> objects = new ArrayList<>();
      for (T each : shown) {
        objects.add(object.apply(each));
      }
      call.print(
          Json.of(kind)
              .with(member, objects)
              .with("left_out", leftOut == 0 ? null : leftOut)
              .json());
    } else if (shown.isEmpty()) {
      call.print(none);
    } else {
      for (T each : shown) {
        call.print(line.apply(each, call.style()));
      }
    }
  }
}
