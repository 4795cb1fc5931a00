package dev.ralph.core.internal.process;

import dev.ralph.Gate;
import dev.ralph.RecordEntry;
import dev.ralph.Verdict;

/** How a gate went, and what is said of it. */
public record GateResult(Gate gate, Kind kind, Verdict verdict) {

  /** The ways in which a gate goes. */
  public enum Kind {
    /** It looked, and its verdict counts. */
    JUDGED(""),
    /** It could not look. */
    BROKEN("could not be run"),
    /** It looked, and did not say what it found. */
    SILENT("returned no verdict"),
    /** It had to be ended. */
    TIME_UP("ended, as the time allowed is up"),
    /** It had to be ended too. */
    CANCELLED("ended, as the loop was cancelled"),
    /** Its turn did not come. */
    NOT_RUN("not run");

    private final String words;

    Kind(String words) {
      this.words = words;
    }
  }

  /** Returns the result of a gate that gave a verdict. */
  public static GateResult of(Gate gate, Verdict verdict) {
    return new GateResult(gate, Kind.JUDGED, verdict);
  }

  /**
   * Returns the result of a gate that gave none.
   *
   * @param said what is known besides, in a line or several, or an empty text
   */
  public static GateResult without(Gate gate, Kind kind, String said) {
    return new GateResult(gate, kind, Verdict.failed(said));
  }

  public boolean isPassed() {
    return verdict.isPassed();
  }

  /** Returns how it went, in one line. */
  public String summary() {
    return "gate " + words() + ": " + gate.name();
  }

  private String words() {
    if (kind != Kind.JUDGED) {
      return kind.words;
    }
    Integer code = verdict.exitCode();
    return verdict.isPassed()
        ? "passed"
        : code == null ? "failed" : "failed with " + ProcessExit.words(code);
  }

  /** Returns how it went, for the record. */
  public RecordEntry recorded() {
    String reason = (kind.words + '\n' + verdict.reason()).strip();
    return RecordEntry.gate(gate.name(), isPassed(), verdict.exitCode(), reason);
  }

  /** Returns how it went and why, for the agent that has to mend it. */
  public String reason() {
    return verdict.reason().isEmpty() ? summary() : summary() + "\n" + verdict.reason();
  }
}
