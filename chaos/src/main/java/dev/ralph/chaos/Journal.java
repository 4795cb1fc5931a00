package dev.ralph.chaos;

import dev.ralph.log.Durability;
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
 * What a writer meant to append and what it was told, a line each, in a file outside the store.
 * Each line is one write to the system, so that it outlives a kill -9 of the writer; but a kill can
 * cut a write short where it crosses a page. So a line begins with its line break and ends with a
 * dot: what was cut short has none, and nothing that comes later is taken for a part of it.
 *
 * <pre>
 * try STEP                     before the append
 * done STEP DURABILITY ID,ID…  it was acknowledged
 * conflict STEP                its condition did not hold
 * refused STEP CODE            it failed, and nothing was to be written
 * unknown STEP                 whether it took place was not known
 * cutting                      the power is about to be cut
 * cut                          the power was cut
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

  void done(int step, Durability durability, List<String> ids) throws IOException {
    write("done " + step + " " + durability + " " + String.join(",", ids));
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
   * An acknowledged step: the ids of its frames, and whether a later power cut may have taken it.
   */
  record Acknowledged(List<String> ids, boolean mayBeLost) {}

  /** What a journal says. */
  record Account(
      Map<Integer, Acknowledged> acknowledged,
      Set<Integer> tried,
      Set<Integer> refused,
      int unknown) {

    int lastStep() {
      return tried.stream().mapToInt(Integer::intValue).max().orElse(0);
    }
  }

  /** Reads a journal while its writer may be at work. */
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
          if (cutting || words[2].equals(Durability.OS.name())) {
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
