package dev.ralph.cli.call;

import dev.ralph.Redactor;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Whether secrets are taken out of what agents say: as the variable {@code RALPH_REDACT} says, else
 * as the project's file does if it is {@linkplain Trust trusted}, else they are.
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
   * Returns what is kept of a text that the caller gives: where it was started by a loop's agent,
   * what the redactor leaves of it; else the text itself.
   */
  public static String kept(String text, Environment environment) {
    return environment.variable(ProcessMark.VARIABLE) == null ? text : of(environment).redact(text);
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

  /** Returns what the project's file says; secrets are kept only by one that is trusted. */
  private Redactor ofProject() {
    Redactor found = Redactor.builtIn();
    Path path = new Project(environment).find(ConfigFile.NAME);
    if (path == null) {
      return found;
    }
    ConfigFile file = ConfigFile.read(path);
    boolean isTrusted = true;
    for (ConfigLine line : file.lines()) {
      if (line.name().equals(SETTING)) {
        found = of(line);
        isTrusted = line.value().equals("on") || environment.trust().holds(path, file.text());
      }
    }
    return isTrusted ? found : Redactor.builtIn();
  }
}
