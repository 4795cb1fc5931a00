package dev.ralph.core.internal.iteration;

import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameLog;
import java.util.List;

/** The frames of a session's iterations, at present or at a past moment. */
public interface IterationFrames {

  /** Returns the log to read output and records from. */
  FrameLog log();

  /** Returns whether a frame had been appended at the moment. */
  boolean includes(Frame frame);

  /** Appends frames that survive the end of the process; may reject them. */
  void append(List<Draft> drafts);

  /** Erases frames and returns their number; may reject them. */
  int erase(List<String> ids);
}
