package dev.ralph.cli.call;

import dev.ralph.cli.terminal.Style;
import dev.ralph.log.Meta;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * How a list of things is answered: as many as {@code --limit} says, and beside the answer how to
 * see the others. A program that asks for JSON gets all unless it says otherwise.
 *
 * @param kind of the answer in JSON
 * @param member the name of the list in there, and what the things are called
 * @param object returns a thing as an object
 * @param line returns a thing as a line for people
 */
public record Listing<T>(
    String kind, String member, Function<T, Meta> object, BiFunction<T, Style, String> line) {

  /** More than a person reads, and far less than a session may hold. */
  static final int LIMIT = 100;

  /**
   * Answers with the newest things of a list, and warns before them of older ones left out.
   *
   * @param all oldest first
   * @param none what is said where there are none
   */
  public void answer(Invocation call, List<T> all, String none) {
    int leftOut = leftOut(call, all);
    List<T> shown = all.subList(leftOut, all.size());
    if (leftOut > 0) {
      call.warn(
          leftOut + " older " + member + " left out; --limit " + all.size() + " shows all of them");
    }
    print(call, shown, leftOut, none);
  }

  /**
   * Answers with the first things of a list. The caller warns of those left out.
   *
   * @param all in the order to show them in
   * @param none what is said where there are none
   * @return how many are left out
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
