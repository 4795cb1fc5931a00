package dev.ralph.cli;

import dev.ralph.cli.call.Environment;
import dev.ralph.cli.call.ExitCode;
import java.io.BufferedInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.nio.file.Path;
import java.util.List;

/** Starts the command. */
public final class Main {

  private Main() {}

  /**
   * Runs the command and ends the process with its exit code. System properties of the launcher
   * contain its path ({@code ralph.launcher}) and the streams that are terminals ({@code
   * ralph.terminals}). For a class-data archive, further properties contain the kind, the folder
   * and the store ({@code ralph.training}, {@code ralph.training.folder}, {@code
   * ralph.training.store}).
   */
  public static void main(String[] args) {
    String launcher = System.getProperty("ralph.launcher");
    Environment environment =
        Environment.of(
            System.getenv(),
            // The readNBytes method of a file stream seeks, which fails on a pipe.
            new BufferedInputStream(new FileInputStream(FileDescriptor.in)),
            new FileOutputStream(FileDescriptor.out),
            new FileOutputStream(FileDescriptor.err),
            Path.of("").toAbsolutePath(),
            launcher == null ? null : Path.of(launcher),
            System.getProperty("ralph.terminals", ""));
    List<String> words = List.of(args);
    String training = System.getProperty("ralph.training");
    if (training != null) {
      Path folder = Path.of(System.getProperty("ralph.training.folder", ""));
      ArchiveTraining.run(training, folder, System.getProperty("ralph.training.store", ""));
    }
    int code = run(words, environment);
    if (code != ExitCode.DONE || Thread.activeCount() > 1) {
      System.exit(code);
    }
    // Without an explicit exit, the process ends after this method. On newer platforms an
    // explicit exit creates a logger, and the search of all jars for a logger takes long.
  }

  private static int run(List<String> words, Environment environment) {
    if (CommandLineBytes.areLost(words)) {
      return Cli.refuse(
          words,
          environment,
          "an argument is not valid text in this locale, so nothing was done; set LC_ALL=C.UTF-8"
              + " and pass UTF-8");
    }
    if (environment.directory().toString().indexOf('\ufffd') >= 0) {
      return Cli.refuse(
          words,
          environment,
          "the name of the current folder is not valid UTF-8, so nothing was done; rename the"
              + " folder");
    }
    return Cli.run(words, environment);
  }
}
