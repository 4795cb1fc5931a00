package dev.ralph.cli.call;

import dev.ralph.cli.terminal.Style;
import dev.ralph.log.Meta;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * How a list of things is answered: the newest, as many as {@code --limit} says, and beside the
 * answer how to see the others.
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
   * Answers with a list.
   *
   * @param all oldest first
   * @param none what is said where there are none
   */
  public void answer(Invocation call, List<T> all, String none) {
    int limit = call.arguments().number("limit", LIMIT, 1, Integer.MAX_VALUE);
    int leftOut = Math.max(0, all.size() - limit);
    List<T> shown = all.subList(leftOut, all.size());
    if (leftOut > 0) {
      call.warn(
          leftOut + " older " + member + " left out; --limit " + all.size() + " shows all of them");
    }
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
