package dev.ralph.cli;

import dev.ralph.cli.terminal.Output;
import java.io.FileDescriptor;
import java.io.FileOutputStream;

/**
 * Lets what the libraries log come out as the command's own words do: one line on standard error. A
 * program of its own may decide this, a library may not; so only the runnable jar names this class
 * as a service.
 *
 * <p>Not through {@code java.util.logging}, which takes longer to start than a short command.
 */
public final class StderrLoggerFinder extends System.LoggerFinder {

  private final Output err =
      new Output(
          new FileOutputStream(FileDescriptor.err),
          System.getProperty("ralph.terminals", "").indexOf('2') >= 0);

  /** Made by the virtual machine when the first logger is asked for. */
  public StderrLoggerFinder() {}

  @Override
  public System.Logger getLogger(String name, Module module) {
    String debug = System.getenv("RALPH_DEBUG");
    return new LineLogger(name, debug != null && !debug.isEmpty(), err);
  }
}
