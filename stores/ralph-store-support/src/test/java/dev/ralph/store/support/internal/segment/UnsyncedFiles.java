package dev.ralph.store.support.internal.segment;

import dev.ralph.store.support.StoreFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/** Store files on a disk that accepts every write and fails every sync. */
final class UnsyncedFiles extends StoreFiles {

  UnsyncedFiles(Path root) {
    super(root);
  }

  @Override
  public void sync(RandomAccessFile file) throws IOException {
    throw new IOException("Input/output error");
  }
}
