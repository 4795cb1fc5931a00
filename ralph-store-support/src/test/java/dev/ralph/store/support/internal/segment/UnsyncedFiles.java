package dev.ralph.store.support.internal.segment;

import dev.ralph.store.support.StoreFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/** The files of a store on a disk that takes every write and confirms none. */
final class UnsyncedFiles extends StoreFiles {

  UnsyncedFiles(Path root) {
    super(root);
  }

  @Override
  public void sync(RandomAccessFile file) throws IOException {
    throw new IOException("Input/output error");
  }
}
