package dev.ralph.store.file;

import dev.ralph.spi.FrameStore;
import dev.ralph.store.support.StoreFiles;
import dev.ralph.store.support.internal.segment.LogWitness;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Store files on a disk that records syncs, and can fail syncs or become full. */
final class WatchedDisk extends StoreFiles {

  /** The names of synced files: {@code log} is the folder, {@code 00000001.jsonl} is in it. */
  final List<String> synced = new ArrayList<>();

  private final Map<RandomAccessFile, Path> open = new IdentityHashMap<>();
  private @Nullable String refused;
  private int room = Integer.MAX_VALUE;
  private boolean cuts = true;

  WatchedDisk(Path directory) {
    super(directory);
  }

  /** Opens the store, which must exist. */
  FrameStore open() {
    Segments segments = new Segments(this);
    String storeId = segments.newestHeader(segments.last()).store();
    LogWitness witness = LogWitness.open(root(), segments);
    return new FileFrameStore(root(), segments, storeId, witness, Clock.systemUTC());
  }

  /** Makes the syncs of all files with this name fail. */
  void refuse(String name) {
    refused = name;
  }

  /**
   * Limits the disk to a number of further bytes.
   *
   * @param cuts whether files can still be shortened
   */
  void fillUpTo(int bytes, boolean cuts) {
    room = bytes;
    this.cuts = cuts;
  }

  @Override
  public synchronized RandomAccessFile openInPlace(Path file) throws IOException {
    super.openInPlace(file).close(); // checks the file
    RandomAccessFile opened =
        new RandomAccessFile(file.toFile(), "rw") {
          @Override
          public void write(byte[] bytes, int from, int length) throws IOException {
            int fits = Math.min(room, length);
            super.write(bytes, from, fits);
            room -= fits;
            if (fits < length) {
              throw new IOException("No space left on device");
            }
          }

          @Override
          public void setLength(long length) throws IOException {
            if (!cuts) {
              throw new IOException("Input/output error");
            }
            super.setLength(length);
          }
        };
    open.put(opened, file);
    return opened;
  }

  @Override
  public void sync(RandomAccessFile file) throws IOException {
    note(open.get(file));
    super.sync(file);
  }

  @Override
  public void syncFolder(Path folder) throws IOException {
    note(folder);
    super.syncFolder(folder);
  }

  private synchronized void note(Path path) throws IOException {
    String name = path.equals(root()) ? "store" : path.getFileName().toString();
    if (name.equals(refused)) {
      throw new IOException("Input/output error");
    }
    synced.add(name);
  }
}
