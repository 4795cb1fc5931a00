package dev.ralph.cli;

import dev.ralph.cli.terminal.Output;
import java.io.FileDescriptor;
import java.io.FileOutputStream;

/**
 * Writes the log of the libraries to standard error, in the format of the command's messages. A
 * program may choose the logger, but a library must not. So only the runnable jar registers this
 * class as a service.
 *
 * <p>{@code java.util.logging} would take longer to start than a short command.
 */
public final class StderrLoggerFinder extends System.LoggerFinder {

  private final Output err =
      new Output(
          new FileOutputStream(FileDescriptor.err),
          System.getProperty("ralph.terminals", "").indexOf('2') >= 0);

  /** Called by the virtual machine for the first logger. */
  public StderrLoggerFinder() {}

  @Override
  public System.Logger getLogger(String name, Module module) {
    String debug = System.getenv("RALPH_DEBUG");
    return new LineLogger(name, debug != null && !debug.isEmpty(), err);
  }
}
