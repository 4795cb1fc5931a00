package dev.ralph.store.support;

import dev.ralph.RalphException;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A file that keeps a {@link BlockIndex}, grown by appending to it. It may vanish, or be put in
 * place by others, at any time. Writing is for one thread at a time, under the store's lock.
 */
public final class BlockIndexFile {

  private final Path directory;
  private final Path path;
  private final byte[] magic;

  /** How much of the index stands in the file, in blocks and bytes, as this object left it. */
  private int keptBlocks;

  private long keptLength;

  /**
   * Makes the object for a file that need not exist.
   *
   * @param directory made when first needed
   * @param magic what the file begins with
   */
  public BlockIndexFile(Path directory, String name, byte[] magic) {
    this.directory = directory;
    this.path = directory.resolve(name);
    this.magic = magic.clone();
  }

  /** Returns the index in the file as far as it is whole; an empty one where there is none. */
  public BlockIndex load() {
    try {
      File file = path.toFile();
      byte[] bytes = file.exists() ? PrivateFiles.read(path) : new byte[0];
      if (bytes.length >= magic.length
          && Arrays.equals(bytes, 0, magic.length, magic, 0, magic.length)) {
        return BlockIndex.decode(0, bytes, magic.length);
      }
    } catch (IOException e) {
      // it vanished, or may not be read: derived data
    }
    return BlockIndex.empty(0);
  }

  /**
   * Writes the blocks that are new behind those in the file, or all of them anew where the file is
   * not the one that they continue. A failure to do so is not an error.
   */
  public void keep(BlockIndex index) {
    if (index.blocks() <= keptBlocks) {
      return;
    }
    try {
      if (keptBlocks > 0 && path.toFile().length() == keptLength) {
        byte[] more = index.encode(keptBlocks);
        try (RandomAccessFile out = new RandomAccessFile(path.toFile(), "rw")) {
          out.seek(keptLength);
          out.write(more);
        }
        keptLength += more.length;
      } else {
        byte[] all = index.encode(0);
        byte[] bytes = Arrays.copyOf(magic, magic.length + all.length);
        System.arraycopy(all, 0, bytes, magic.length, all.length);
        PrivateFiles.createDirectories(directory);
        PrivateFiles.writeAtomically(path, bytes, false);
        keptLength = bytes.length;
      }
      keptBlocks = index.blocks();
    } catch (IOException | RalphException e) {
      System.getLogger(BlockIndexFile.class.getName())
          .log(System.Logger.Level.DEBUG, "the index is not kept in " + path, e);
    }
  }
}
