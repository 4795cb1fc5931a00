package dev.ralph.openspec;

import java.util.List;

/**
 * How what is to be built behaves in one case.
 *
 * @param requirement the name of the requirement that it belongs to
 * @param name its own name
 * @param given what holds before
 * @param when what happens; several things are joined by "and"
 * @param then what must hold after
 */
public record Scenario(
    String requirement, String name, List<String> given, String when, List<String> then) {

  public Scenario {
    given = List.copyOf(given);
    then = List.copyOf(then);
  }
}
