package dev.ralph.transfer;

import dev.ralph.log.Draft;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads the frames of a file in their order, as they are to stand in the store. */
interface FrameReader extends Closeable {

  /**
   * A frame of a file.
   *
   * @param line where it begins, from 1
   */
  record Entry(long line, Draft draft) {}

  /**
   * Returns the next frame, or null behind the last. Frames that can't be imported are noted as
   * problems and left out.
   *
   * @throws BadLine if the file is not what it should be
   */
  @Nullable Entry next() throws IOException;
}
