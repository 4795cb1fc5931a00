package dev.ralph.cli.store;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.text.SafeText;
import dev.ralph.log.Damage;
import dev.ralph.log.FrameLog;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.transfer.internal.LogExport;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code ralph export}. */
public final class ExportCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("write frames to a file or to standard output, for ralph import")
        .optionalArgument("FILE")
        .value("n", "name", "NAME", "export only frames of this session")
        .value("topic", "PATTERN", "export only this topic, or PREFIX.* for all topics below")
        .values("without", "ID", "omit the frame with this id; repeatable")
        .flag("force", "replace an existing file")
        .store();
  }

  @Override
  public void run(Invocation call) {
    TopicFilter filter = LogCommand.filter(call);
    Path file = file(call);
    FrameLog frames = call.store().frames();
    Set<String> without = Set.copyOf(call.arguments().values("without"));
    for (String id : without) {
      call.store().frame(id);
    }
    LogExport.Report report;
    try {
      report =
          file == null
              ? LogExport.write(frames, filter, without, call.environment().out().stream())
              : write(frames, filter, without, file);
    } catch (IOException e) {
      throw failure("cannot write the export", e);
    }
    call.exitWith(report.isComplete() ? ExitCode.DONE : ExitCode.FAILED);
    if (file != null) {
      answer(call, file, report);
    }
    for (Damage damage : report.damage()) {
      call.warn("not in the export: " + damage);
    }
    call.environment().err().flush();
  }

  private static void answer(Invocation call, Path file, LogExport.Report report) {
    if (call.json()) {
      call.print(
          Json.of("export")
              .with("file", file.toString())
              .with("frames", report.frames())
              .with("complete", report.isComplete())
              .json());
    } else {
      call.print(
          "Exported "
              + ImportCommand.count(report.frames(), "frame")
              + " to "
              + SafeText.line(file.toString()));
    }
  }

  /** Returns the file to write, or null for standard output. */
  private static @Nullable Path file(Invocation call) {
    String name = call.arguments().argument(0);
    if (name == null || name.equals("-")) {
      return null;
    }
    Path file = call.environment().path(name);
    String shown = RalphException.quote(file.toString());
    if (Files.isDirectory(file)) {
      throw RalphException.invalid(shown + " is a folder; name a file");
    }
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw RalphException.invalid(shown + " is not a regular file; omit FILE and redirect output");
    }
    Path folder = folderOf(file);
    if (!Files.isDirectory(folder)) {
      throw RalphException.notFound(
          "no folder " + RalphException.quote(folder.toString()) + "; create it first");
    }
    if (!Files.isWritable(folder)) {
      throw RalphException.io(
          "the folder "
              + RalphException.quote(folder.toString())
              + " is not writable; choose another folder");
    }
    if (Files.exists(file) && !call.arguments().has("force")) {
      throw RalphException.invalid(shown + " already exists; --force replaces it");
    }
    return file;
  }

  private static Path folderOf(Path file) {
    return Objects.requireNonNull(file.toAbsolutePath().getParent(), "the root is a folder");
  }

  /**
   * Writes a temporary file in the same folder and renames it, so the final name never refers to a
   * partial export.
   */
  private static LogExport.Report write(
      FrameLog frames, TopicFilter filter, Set<String> without, Path file) throws IOException {
    Path folder = folderOf(file);
    Path part = Files.createTempFile(folder, "." + file.getFileName() + ".", ".part", owner(file));
    part.toFile().deleteOnExit(); // removes the file if the command is ended early
    try {
      LogExport.Report report;
      try (FileOutputStream out = new FileOutputStream(part.toFile())) {
        report = LogExport.write(frames, filter, without, out);
        out.getFD().sync();
      }
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      return report;
    } finally {
      Files.deleteIfExists(part);
    }
  }

  /** Returns a failure without the path, which the caller knows and which may be long. */
  static RalphException failure(String what, IOException e) {
    String reason = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
    if (e instanceof AccessDeniedException) {
      reason = "permission denied";
    }
    return RalphException.io(
        what + ": " + (reason == null ? e.getClass().getSimpleName() : reason), e);
  }

  private static FileAttribute<?>[] owner(Path file) {
    return file.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }
}
