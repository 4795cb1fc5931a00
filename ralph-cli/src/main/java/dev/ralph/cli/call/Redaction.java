package dev.ralph.cli.call;

import dev.ralph.RalphException;
import dev.ralph.Redactor;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Whether secrets are taken out of what agents say: as the variable {@code RALPH_REDACT} says, else
 * as the project's file does, else they are.
 */
public final class Redaction implements Redactor {

  /** How the project's file calls it. */
  public static final String SETTING = "redact";

  private static final String VARIABLE = "RALPH_REDACT";

  private final Environment environment;
  private volatile @Nullable Redactor chosen;

  private Redaction(Environment environment) {
    this.environment = environment;
  }

  /**
   * Returns the redactor for a call. The project's file is read when there is something to redact,
   * so that short commands need not look for it.
   *
   * @throws UsageException if the variable is neither on nor off
   */
  static Redactor of(Environment environment) {
    String variable = environment.variable(VARIABLE);
    if (variable == null || variable.isEmpty()) {
      return new Redaction(environment);
    }
    Redactor chosen = named(variable);
    if (chosen == null) {
      throw new UsageException(wrong(VARIABLE, variable));
    }
    return chosen;
  }

  /**
   * Returns what a line of the project's file chooses.
   *
   * @throws UsageException if it is neither on nor off, naming file and line
   */
  public static Redactor of(ConfigLine line) {
    Redactor chosen = named(line.value());
    if (chosen == null) {
      throw line.wrong(wrong(SETTING, line.value()));
    }
    return chosen;
  }

  private static @Nullable Redactor named(String word) {
    return word.equals("on") ? Redactor.builtIn() : word.equals("off") ? Redactor.none() : null;
  }

  private static String wrong(String what, String value) {
    return what + " must be on or off, not " + RalphException.quote(value);
  }

  @Override
  public String redact(String text) {
    Redactor known = chosen;
    if (known == null) {
      known = ofProject();
      chosen = known;
    }
    return known.redact(text);
  }

  private Redactor ofProject() {
    Redactor found = Redactor.builtIn();
    Path file = new Project(environment).find(ConfigLine.FILE);
    if (file != null) {
      for (ConfigLine line : ConfigLine.read(file)) {
        found = line.name().equals(SETTING) ? of(line) : found;
      }
    }
    return found;
  }
}
