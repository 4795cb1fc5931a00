package dev.ralph.tck.internal;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Searches and changes the files of a store without the store's knowledge. */
public final class StoredFiles {

  /** The maximum distance of a flipped bit from the marked text. */
  private static final int AROUND = 300;

  /** The searched length of a file; some files are preallocated. */
  private static final int SEARCHED = 1 << 20;

  private StoredFiles() {}

  /** Returns the first file with a text below a folder, or null. */
  public static @Nullable String whereHeld(@Nullable Path directory, String text)
      throws IOException {
    if (directory == null || Files.notExists(directory)) {
      return null;
    }
    for (Path file : below(directory)) {
      if (Files.readString(file, StandardCharsets.ISO_8859_1).contains(text)) {
        return file.toString();
      }
    }
    return null;
  }

  /**
   * Flips one bit near a marked text, or anywhere if no file contains the text.
   *
   * @param derived files and directories to exclude
   * @return a description of the bit
   */
  public static String flipOneBit(Path directory, List<Path> derived, String mark, Random random)
      throws IOException {
    List<Path> filled = new ArrayList<>();
    List<Path> holding = new ArrayList<>();
    List<Long> places = new ArrayList<>();
    for (Path file : below(directory)) {
      if (Files.size(file) == 0 || derived.stream().anyMatch(file::startsWith)) {
        continue;
      }
      filled.add(file);
      for (long place : placesOf(mark, file)) {
        holding.add(file);
        places.add(place);
      }
    }
    if (filled.isEmpty()) {
      return "of none, as nothing is stored";
    }
    Path file;
    long at;
    if (places.isEmpty()) {
      file = filled.get(random.nextInt(filled.size()));
      at = (long) (random.nextDouble() * Files.size(file));
    } else {
      int chosen = random.nextInt(places.size());
      file = holding.get(chosen);
      long around = places.get(chosen) + random.nextInt(2 * AROUND) - AROUND;
      at = Math.max(0, Math.min(around, Files.size(file) - 1));
    }
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(at);
      int old = bytes.read();
      bytes.seek(at);
      bytes.write(old ^ 1 << random.nextInt(8));
    }
    return "of byte " + at + " of " + file.getFileName();
  }

  private static List<Path> below(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static List<Long> placesOf(String text, Path file) throws IOException {
    byte[] beginning = new byte[(int) Math.min(Files.size(file), SEARCHED)];
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "r")) {
      bytes.readFully(beginning);
    }
    String content = new String(beginning, StandardCharsets.ISO_8859_1);
    List<Long> places = new ArrayList<>();
    for (int at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + 1)) {
      places.add((long) at);
    }
    return places;
  }
}
