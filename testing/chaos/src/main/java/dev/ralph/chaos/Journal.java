package dev.ralph.chaos;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The attempted appends of a writer and their results, one per line, in a file outside the store.
 * Each line is written by a single system call and so survives a kill -9 of the writer; but a kill
 * can truncate a write that crosses a page. Therefore a line begins with its line break and ends
 * with a dot: an incomplete line has no dot and does not affect later lines.
 *
 * <pre>
 * try STEP                     before the append
 * done STEP SYNCED ID,ID…  acknowledged
 * conflict STEP                its condition did not hold
 * refused STEP CODE            failed without writing
 * unknown STEP                 failed with unknown outcome
 * cutting                      before a power cut
 * cut                          after a power cut
 * </pre>
 */
final class Journal implements AutoCloseable {

  private static final String END = " .";

  private final FileChannel channel;

  private Journal(FileChannel channel) {
    this.channel = channel;
  }

  static Journal open(Path file) throws IOException {
    return new Journal(
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
  }

  void tried(int step) throws IOException {
    write("try " + step);
  }

  void done(int step, boolean synced, List<String> ids) throws IOException {
    write("done " + step + " " + synced + " " + String.join(",", ids));
  }

  void conflict(int step) throws IOException {
    write("conflict " + step);
  }

  void refused(int step, String code) throws IOException {
    write("refused " + step + " " + code);
  }

  void unknown(int step) throws IOException {
    write("unknown " + step);
  }

  void cutting() throws IOException {
    write("cutting");
  }

  void cut() throws IOException {
    write("cut");
  }

  private void write(String line) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(("\n" + line + END).getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  /**
   * An acknowledged step.
   *
   * @param ids the frames' ids
   * @param mayBeLost whether a later power cut may have removed them
   */
  record Acknowledged(List<String> ids, boolean mayBeLost) {}

  /** The content of a journal. */
  record Account(
      Map<Integer, Acknowledged> acknowledged,
      Set<Integer> tried,
      Set<Integer> refused,
      int unknown) {

    int lastStep() {
      return tried.stream().mapToInt(Integer::intValue).max().orElse(0);
    }
  }

  /** Reads a journal, also while its writer appends. */
  static Account read(Path file) throws IOException {
    Map<Integer, Acknowledged> acknowledged = new HashMap<>();
    Set<Integer> tried = new HashSet<>();
    Set<Integer> refused = new HashSet<>();
    List<Integer> atRisk = new ArrayList<>();
    boolean cutting = false;
    int unknown = 0;
    String text = Files.exists(file) ? Files.readString(file) : "";
    for (String line : text.split("\n")) {
      if (!line.endsWith(END)) {
        continue;
      }
      String[] words = line.substring(0, line.length() - END.length()).split(" ");
      int step = words.length > 1 ? Integer.parseInt(words[1]) : 0;
      switch (words[0]) {
        case "try" -> tried.add(step);
        case "done" -> {
          acknowledged.put(step, new Acknowledged(List.of(words[3].split(",")), false));
          if (cutting || !Boolean.parseBoolean(words[2])) {
            atRisk.add(step);
          }
        }
        case "conflict", "refused" -> refused.add(step);
        case "unknown" -> unknown++;
        case "cutting" -> cutting = true;
        case "cut" -> {
          for (int lost : atRisk) {
            acknowledged.computeIfPresent(lost, (s, a) -> new Acknowledged(a.ids(), true));
          }
          atRisk.clear();
          cutting = false;
        }
        default -> throw new IOException(file + " holds a strange line: " + words[0]);
      }
    }
    return new Account(acknowledged, tried, refused, unknown);
  }
}
