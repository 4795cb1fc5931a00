package dev.ralph.cli.store;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.text.SafeText;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.transfer.internal.ImportReport;
import dev.ralph.transfer.internal.LogImport;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code ralph import}. */
public final class ImportCommand implements Command {

  private static final int MOST_SHOWN = 100;

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("import frames from a file of ralph export, or of xs (ralph.nu)")
        .argument("FILE")
        .value(
            "cas", "DIR", "the folder with the content of xs: its store, or the output of .export")
        .value(
            "missing-content",
            "HOW",
            "refuse (default), or empty: import frames without their content")
        .create()
        .store();
  }

  @Override
  public void run(Invocation call) {
    LogImport.MissingContent missing = missingContent(call);
    String cas = call.arguments().text("cas");
    Path contents = cas == null ? null : call.environment().path(cas);
    if (!call.arguments().has("create")) {
      call.store(); // fails before the input is read
    }
    String given = call.arguments().requiredArgument(0);
    Path spooled = null;
    try {
      Path file;
      if (given.equals("-")) {
        spooled = spool(call.environment().in(), "standard input");
        file = spooled;
      } else {
        file = call.environment().path(given);
        if (Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file)) {
          spooled = spool(file);
          file = spooled;
        }
      }
      LogImport log =
          LogImport.of(file)
              .named(given.equals("-") ? "standard input" : RalphException.quote(given))
              .missingContent(missing);
      run(call, contents == null ? log : log.contentIn(contents));
    } finally {
      delete(spooled);
    }
  }

  private static void run(Invocation call, LogImport log) {
    ImportReport report = log.check();
    if (report.problemCount() == 0) {
      report = log.into(call.store().frames()); // creates a missing store only now
    }
    call.exitWith(report.isVerified() ? ExitCode.DONE : ExitCode.FAILED);
    if (call.json()) {
      call.print(json(report).json());
    } else {
      show(call, report);
      call.environment().err().flush();
    }
  }

  private static LogImport.MissingContent missingContent(Invocation call) {
    String how = call.arguments().text("missing-content");
    if (how == null) {
      return LogImport.MissingContent.REFUSE;
    }
    for (LogImport.MissingContent each : LogImport.MissingContent.values()) {
      if (how.equals(each.name().toLowerCase(Locale.ROOT))) {
        return each;
      }
    }
    throw new UsageException(
        "--missing-content must be refuse or empty, not " + RalphException.quote(how));
  }

  // ---- input that can be read only once

  private static Path spool(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return spool(in, file.toString());
    } catch (IOException e) {
      throw ExportCommand.failure("cannot read " + file, e);
    }
  }

  /**
   * Copies the input to a temporary file readable only by its owner, because an import reads its
   * input three times.
   */
  private static Path spool(InputStream in, String name) {
    Path file = null;
    try {
      file = Files.createTempFile("ralph-import-", ".ndjson");
      file.toFile().deleteOnExit();
      Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
      return file;
    } catch (IOException e) {
      delete(file);
      throw ExportCommand.failure("cannot copy " + name + " to a temporary file", e);
    }
  }

  private static void delete(@Nullable Path file) {
    try {
      if (file != null) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      System.getLogger(ImportCommand.class.getName())
          .log(System.Logger.Level.DEBUG, "cannot delete a temporary file", e);
    }
  }

  // ---- answer

  private static void show(Invocation call, ImportReport report) {
    for (Map.Entry<String, String> each : report.renamed().entrySet()) {
      call.print("Session " + SafeText.line(each.getKey()) + " was renamed to " + each.getValue());
    }
    if (!report.isSourceComplete()) {
      call.warn("warning: the exported store was damaged; lost frames are missing in the export");
    }
    if (report.unsorted() > 0) {
      call.warn(
          "warning: "
              + count(report.unsorted(), "frame")
              + " with an older id than the preceding frame; the order of the file is kept");
    }
    if (report.reordered() > 0) {
      call.warn(
          "warning: the store already holds frames in a different order, which is unchanged: "
              + report.reordered());
    }
    list(call, "imported without content: ", report.withoutContent(), report.withoutContentCount());
    list(call, "", report.problems(), report.problemCount());
    if (report.isVerified()) {
      call.print(
          "Imported "
              + count(report.imported(), "frame")
              + (report.alreadyThere() > 0 ? ", " + report.alreadyThere() + " already present" : "")
              + (report.restored() > 0 ? ", restored the content of " + report.restored() : "")
              + (report.repeated() > 0
                  ? ", skipped " + report.repeated() + " duplicates in the file"
                  : "")
              + (report.system() > 0 ? ", skipped " + report.system() + " system frames of xs" : "")
              + "; all verified");
    } else {
      boolean written = report.imported() + report.alreadyThere() > 0;
      call.warn(
          (written
                  ? "imported "
                      + count(report.imported(), "frame")
                      + ", but the store differs from the file: "
                  : "nothing was imported: ")
              + count(report.problemCount(), "problem"));
    }
  }

  private static void list(
      Invocation call, String before, List<ImportReport.Problem> problems, long count) {
    int shown = Math.min(problems.size(), MOST_SHOWN);
    for (ImportReport.Problem each : problems.subList(0, shown)) {
      call.warn(before + each);
    }
    if (count > shown) {
      call.warn(before + (count - shown) + " more; --json lists them");
    }
  }

  /** Returns a number with its noun, in the plural if necessary. */
  static String count(long number, String what) {
    return number + " " + what + (number == 1 ? "" : "s");
  }

  private static Meta json(ImportReport report) {
    Meta renamed = Meta.empty();
    for (Map.Entry<String, String> each : report.renamed().entrySet()) {
      renamed = renamed.with(each.getKey(), each.getValue());
    }
    return Json.of("import")
        .with("format", report.format())
        .with("frames", report.frames())
        .with("imported", report.imported())
        .with("already_there", report.alreadyThere())
        .with("restored", report.restored())
        .with("repeated", report.repeated())
        .with("system", report.system())
        .with("renamed", renamed)
        .with("reordered", report.reordered())
        .with("unsorted", report.unsorted())
        .with("source_complete", report.isSourceComplete())
        .with("without_content", report.withoutContentCount())
        .with("without_content_frames", json(report.withoutContent()))
        .with("problem_count", report.problemCount())
        .with("problems", json(report.problems()))
        .with("verified", report.isVerified());
  }

  private static List<Meta> json(List<ImportReport.Problem> problems) {
    List<Meta> all = new ArrayList<>();
    for (ImportReport.Problem each : problems) {
      all.add(
          Meta.of("line", each.line())
              .with("id", each.id())
              .with("kind", each.kind().name().toLowerCase(Locale.ROOT))
              .with("description", each.description()));
    }
    return all;
  }
}
