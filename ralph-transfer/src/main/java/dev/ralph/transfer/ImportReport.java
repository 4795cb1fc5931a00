package dev.ralph.transfer;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What became of an import, or of the check before it. Immutable. */
public final class ImportReport {

  /** How many problems are kept of each list; all are counted. */
  public static final int MAX_LISTED = 10_000;

  private final Tally tally;

  private ImportReport(Tally tally) {
    this.tally = tally;
  }

  /** Returns what wrote the file: {@code ralph} or {@code xs}. */
  public String format() {
    return tally.format;
  }

  /**
   * Returns how many frames the file has, without those of the other program's own machinery. One
   * that stands there several times is one.
   */
  public long frames() {
    return tally.frames;
  }

  /** Returns how many frames were appended. */
  public long imported() {
    return tally.imported;
  }

  /** Returns how many frames, by their ids, the store held before. */
  public long alreadyThere() {
    return tally.alreadyThere;
  }

  /**
   * Returns how many frames, of those that the store held before, got back their content, which it
   * had lost. One that was offered to the store as new is not counted.
   */
  public long restored() {
    return tally.restored;
  }

  /** Returns how many lines were left out since they hold a frame that the file has before. */
  public long repeated() {
    return tally.repeated;
  }

  /** Returns how many frames were left out as they are of the other program's own machinery. */
  public long system() {
    return tally.system;
  }

  /** Returns what sessions are called here, by what they were called there, where that differs. */
  public Map<String, String> renamed() {
    return Collections.unmodifiableMap(tally.renamed);
  }

  /** Returns which frames were imported without their content, as that was asked for. */
  public List<Problem> withoutContent() {
    return Collections.unmodifiableList(tally.withoutContent);
  }

  /** Returns how many there are of these. */
  public long withoutContentCount() {
    return tally.withoutContentCount;
  }

  /**
   * Returns how many frames stand before the one that they follow in the file, since the store held
   * one of the two before.
   */
  public long reordered() {
    return tally.reordered;
  }

  /**
   * Returns how many frames have a smaller id than the one before them, in a file that should be
   * sorted by id. The order of the file is what counts.
   */
  public long unsorted() {
    return tally.unsorted;
  }

  /**
   * Returns whether the file holds every frame that was asked for when it was written: false if the
   * exported store was damaged.
   */
  public boolean isSourceComplete() {
    return tally.sourceComplete;
  }

  /**
   * Returns the first problems, in the order of the file. If there is one of the file alone,
   * nothing was imported; those that the store has with frames are left to look at.
   */
  public List<Problem> problems() {
    return Collections.unmodifiableList(tally.problems);
  }

  /** Returns how many problems there are. */
  public long problemCount() {
    return tally.problemCount;
  }

  /**
   * Returns whether the store was read afterwards and holds every frame as the file has it; false
   * if there is a problem.
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
        + " there already, "
        + problemCount()
        + " problems"
        + (isVerified() ? ", verified" : "");
  }

  /** What is found out meanwhile. */
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

    /** Returns the report; nothing may be added afterwards. */
    ImportReport report() {
      return new ImportReport(this);
    }
  }

  /**
   * Why a frame is not in the store as the file has it.
   *
   * @param line where it stands in the file, from 1
   * @param id the frame's, or null where the problem is of more than one frame
   * @param kind what sort of problem it is
   * @param description what is wrong, in words
   */
  public record Problem(long line, @Nullable String id, Kind kind, String description) {

    /** Sorts of problems. More may be added. */
    public enum Kind {
      /** A topic, or a session's name in it, that can't be one here. Nothing was imported. */
      TOPIC,
      /** Meta data that can't be kept. Nothing was imported. */
      META,
      /** Content that is missing, damaged, no text or too large. */
      CONTENT,
      /** The file has another frame of that id before. Nothing was imported. */
      REPEATED,
      /** The store held another frame of that id before, which was left as it is. */
      DIFFERS,
      /** The store does not hold the frame, though it was appended. */
      LOST
    }

    @Override
    public String toString() {
      return "line " + line + (id == null ? "" : ", frame " + id) + ": " + description;
    }
  }
}
