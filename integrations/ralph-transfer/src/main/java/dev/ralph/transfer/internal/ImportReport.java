package dev.ralph.transfer.internal;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The result of an import, or of the check before it. Immutable. */
public final class ImportReport {

  /** The maximum length of each list of problems; the counts have no limit. */
  public static final int MAX_LISTED = 10_000;

  private final Tally tally;

  private ImportReport(Tally tally) {
    this.tally = tally;
  }

  /** Returns the program that wrote the file: {@code ralph} or {@code xs}. */
  public String format() {
    return tally.format;
  }

  /** Returns the number of different frames in the file, without system frames of xs. */
  public long frames() {
    return tally.frames;
  }

  /** Returns the number of appended frames. */
  public long imported() {
    return tally.imported;
  }

  /** Returns the number of frames that the store held before, by id. */
  public long alreadyThere() {
    return tally.alreadyThere;
  }

  /**
   * Returns the number of frames with restored content; the store held the frame without the
   * content. Frames offered to the store as new are not counted.
   */
  public long restored() {
    return tally.restored;
  }

  /** Returns the number of skipped lines that repeat an earlier frame of the file. */
  public long repeated() {
    return tally.repeated;
  }

  /** Returns the number of skipped system frames of xs. */
  public long system() {
    return tally.system;
  }

  /** Returns the new names of renamed sessions by their names in the file. */
  public Map<String, String> renamed() {
    return Collections.unmodifiableMap(tally.renamed);
  }

  /** Returns the frames that were imported without content, as requested. */
  public List<Problem> withoutContent() {
    return Collections.unmodifiableList(tally.withoutContent);
  }

  /** Returns the number of frames that were imported without content. */
  public long withoutContentCount() {
    return tally.withoutContentCount;
  }

  /**
   * Returns the number of frames that the store holds before their predecessor in the file, because
   * the store held one of the two before the import.
   */
  public long reordered() {
    return tally.reordered;
  }

  /**
   * Returns the number of frames with a smaller id than their predecessor, in a file that should be
   * sorted by id. The import keeps the order of the file.
   */
  public long unsorted() {
    return tally.unsorted;
  }

  /**
   * Returns whether the export contains all selected frames; false if the exported store was
   * damaged.
   */
  public boolean isSourceComplete() {
    return tally.sourceComplete;
  }

  /**
   * Returns the first problems in the order of the file. If the file itself has a problem, nothing
   * was imported.
   */
  public List<Problem> problems() {
    return Collections.unmodifiableList(tally.problems);
  }

  /** Returns the number of problems. */
  public long problemCount() {
    return tally.problemCount;
  }

  /**
   * Returns whether the comparison found each frame in the store as in the file; false if there is
   * a problem.
   */
  public boolean isVerified() {
    return tally.verified;
  }

  @Override
  public String toString() {
    return frames()
        + " frames: "
        + imported()
        + " imported, "
        + alreadyThere()
        + " already present, "
        + problemCount()
        + " problems"
        + (isVerified() ? ", verified" : "");
  }

  /** The counters of a running import. */
  static final class Tally {

    String format = "";
    long frames;
    long imported;
    long alreadyThere;
    long restored;
    long repeated;
    long system;
    long reordered;
    long unsorted;
    boolean sourceComplete = true;
    boolean verified;
    final Map<String, String> renamed = new LinkedHashMap<>();
    final List<Problem> problems = new ArrayList<>();
    long problemCount;
    final List<Problem> withoutContent = new ArrayList<>();
    long withoutContentCount;

    void problem(long line, @Nullable String id, Problem.Kind kind, String description) {
      problemCount++;
      if (problems.size() < MAX_LISTED) {
        problems.add(new Problem(line, id, kind, description));
      }
    }

    void withoutContent(long line, String id, String description) {
      withoutContentCount++;
      if (withoutContent.size() < MAX_LISTED) {
        withoutContent.add(new Problem(line, id, Problem.Kind.CONTENT, description));
      }
    }

    /** Returns the report. The tally must not change afterwards. */
    ImportReport report() {
      return new ImportReport(this);
    }
  }

  /**
   * The reason why the store does not hold a frame as the file does.
   *
   * @param line the frame's line in the file, from 1
   * @param id the frame's id, or null if the problem concerns several frames
   * @param kind the kind of problem
   * @param description the problem as text
   */
  public record Problem(long line, @Nullable String id, Kind kind, String description) {

    /** Kinds of problems. New kinds may be added. */
    public enum Kind {
      /** The topic or its session name is not valid. Nothing was imported. */
      TOPIC,
      /** The metadata cannot be stored. Nothing was imported. */
      META,
      /** The content is missing, damaged, not text, or too large. */
      CONTENT,
      /** The file has an earlier, different frame with the same id. Nothing was imported. */
      REPEATED,
      /** The store holds a different frame with the same id, which was kept. */
      DIFFERS,
      /** The store lacks the frame although it was appended. */
      LOST
    }

    @Override
    public String toString() {
      return "line " + line + (id == null ? "" : ", frame " + id) + ": " + description;
    }
  }
}
