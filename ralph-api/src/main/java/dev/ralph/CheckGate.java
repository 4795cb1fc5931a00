package dev.ralph;

import dev.ralph.log.RalphException;
import java.util.Objects;

/** A gate that delegates to a {@link Gate.Check}. */
final class CheckGate implements Gate {

  private final String name;
  private final Check check;

  CheckGate(String name, Check check) {
    this.name = Objects.requireNonNull(name, "name");
    this.check = Objects.requireNonNull(check, "check");
    if (name.isBlank()) {
      throw RalphException.invalid("a gate needs a name that describes its check");
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Verdict check(Context context) throws Exception {
    return check.check(context);
  }

  @Override
  public String toString() {
    return name;
  }
}
