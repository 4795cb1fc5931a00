package dev.ralph.transfer.internal;

import dev.ralph.log.Draft;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads the frames of a file in order, converted for the store. */
interface FrameReader extends Closeable {

  /**
   * A frame of a file.
   *
   * @param line the frame's first line, from 1
   */
  record Entry(long line, Draft draft) {}

  /**
   * Returns the next frame, or null at the end. Frames that cannot be imported are skipped and
   * reported as problems.
   *
   * @throws BadLine if the file is not valid
   */
  @Nullable Entry next() throws IOException;
}
