package dev.ralph.store.file;

import dev.ralph.store.support.StoreFiles;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.CopyOption;
import java.nio.file.Path;

/**
 * Store files that fail at a given operation and at all operations after it, as if the process were
 * killed at this operation.
 */
final class CompactionSteps extends StoreFiles {

  private int left;

  /** Allows a number of operations. */
  CompactionSteps(Path root, int operations) {
    super(root);
    this.left = operations;
  }

  /** Returns whether an operation failed. */
  boolean isKilled() {
    return left < 0;
  }

  private void step() throws IOException {
    if (left < 0 || --left < 0) {
      throw new IOException("killed");
    }
  }

  @Override
  public void createFile(Path file) {
    unchecked();
    super.createFile(file);
  }

  @Override
  public void writeAtomically(Path file, byte[] content, boolean durable) {
    unchecked();
    super.writeAtomically(file, content, durable);
  }

  private void unchecked() {
    try {
      step();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Override
  public RandomAccessFile openInPlace(Path file) throws IOException {
    step();
    super.openInPlace(file).close();
    return new Steps(file.toFile());
  }

  private final class Steps extends RandomAccessFile {

    Steps(File file) throws IOException {
      super(file, "rw");
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      boolean wasKilled = isKilled();
      try {
        step();
      } catch (IOException e) {
        if (!wasKilled) {
          super.write(bytes, from, length / 2); // killed during the write
        }
        throw e;
      }
      super.write(bytes, from, length);
    }
  }

  @Override
  public void sync(RandomAccessFile file) throws IOException {
    step();
  }

  @Override
  public void syncFolder(Path folder) throws IOException {
    step();
  }

  @Override
  public void move(Path from, Path to, CopyOption... options) throws IOException {
    step();
    super.move(from, to, options);
  }

  @Override
  public boolean deleteIfExists(Path file) throws IOException {
    step();
    return super.deleteIfExists(file);
  }
}
