package dev.ralph.cli.call;

import dev.ralph.Redactor;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether secrets are removed from the texts of agents. The variable {@code RALPH_REDACT}
 * takes precedence, then the project's file if it is {@linkplain TrustedFiles trusted}. Redaction
 * is on by default.
 */
public final class Redaction implements Redactor {

  /** The name of the setting in the project's file. */
  public static final String SETTING = "redact";

  private static final String VARIABLE = "RALPH_REDACT";

  private final Environment environment;
  private volatile @Nullable Redactor chosen;

  private Redaction(Environment environment) {
    this.environment = environment;
  }

  /**
   * Returns the redactor of a call. The project's file is read at the first redaction, so short
   * commands need no search for the file.
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

  /** Redacts a text if a loop's agent started the caller; returns other texts unchanged. */
  public static String kept(String text, Environment environment) {
    return environment.variable(ProcessMark.VARIABLE) == null ? text : of(environment).redact(text);
  }

  /**
   * Returns the redactor selected by a line of the project's file.
   *
   * @throws UsageException if the value is neither on nor off; the message names file and line
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

  /** Returns the redactor of the project's file. Only a trusted file can turn redaction off. */
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
