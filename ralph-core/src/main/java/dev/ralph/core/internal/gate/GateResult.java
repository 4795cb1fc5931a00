package dev.ralph.core.internal.gate;

import dev.ralph.Gate;
import dev.ralph.RecordEntry;
import dev.ralph.Verdict;
import dev.ralph.core.internal.process.ProcessExit;

/** The result of a gate. */
public record GateResult(Gate gate, Kind kind, Verdict verdict) {

  /** The ways in which a gate can end. */
  public enum Kind {
    /** The gate returned a verdict. */
    JUDGED(""),
    /** The gate could not be run. */
    BROKEN("could not be run"),
    /** The gate ran, but returned no verdict. */
    SILENT("returned no verdict"),
    /** The gate was ended by its time limit. */
    TIME_UP("ended by its time limit"),
    /** The gate was ended because the loop was cancelled. */
    CANCELLED("ended because the loop was cancelled"),
    /** The gate was not run. */
    NOT_RUN("not run");

    private final String words;

    Kind(String words) {
      this.words = words;
    }
  }

  /** Returns the result of a gate that returned a verdict. */
  public static GateResult of(Gate gate, Verdict verdict) {
    return new GateResult(gate, Kind.JUDGED, verdict);
  }

  /**
   * Returns the result of a gate without a verdict.
   *
   * @param details further details, one line or several; may be empty
   */
  public static GateResult without(Gate gate, Kind kind, String details) {
    return new GateResult(gate, kind, Verdict.failed(details));
  }

  public boolean isPassed() {
    return verdict.isPassed();
  }

  /** Returns a summary of one line. */
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

  /** Returns the record entry of the result. */
  public RecordEntry recorded() {
    String reason = (kind.words + '\n' + verdict.reason()).strip();
    return RecordEntry.gate(gate.name(), isPassed(), verdict.exitCode(), reason);
  }

  /** Returns the summary and the reason, for the agent that has to repair a failure. */
  public String reason() {
    return verdict.reason().isEmpty() ? summary() : summary() + "\n" + verdict.reason();
  }
}
