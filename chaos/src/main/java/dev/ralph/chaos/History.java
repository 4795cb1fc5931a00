package dev.ralph.chaos;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * What one process did, and when: a line when an operation begins and one when it has ended, each
 * written at once, so that a kill loses none. An operation without an end is one of unknown
 * outcome. Times are of the machine's own clock, which all its processes share.
 */
final class History implements AutoCloseable {

  /** How an operation ended that changed nothing, so that there is nothing to judge. */
  static final String NOTHING = "nothing";

  /** How one ended that may have taken place, or may still. */
  static final String UNKNOWN = "unknown";

  private static final String END = " .";

  private final FileChannel channel;

  private History(FileChannel channel) {
    this.channel = channel;
  }

  static History open(Path file) throws IOException {
    return new History(
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.APPEND));
  }

  void begin(String register, String kind, long expected, long value) throws IOException {
    write(
        "begin " + register + " " + kind + " " + expected + " " + value + " " + System.nanoTime());
  }

  /** Says that what was begun has ended, with the kind that it came to be, and its value. */
  void end(String kind, long value) throws IOException {
    write("end " + kind + " " + value + " " + System.nanoTime());
  }

  private void write(String line) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap((line + END + "\n").getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  /** Returns what the judge reads of it, a line of JSON for each operation. */
  static List<String> lines(Path file, int client) throws IOException {
    List<String> lines = new ArrayList<>();
    String[] open = null;
    for (String line : Files.readAllLines(file)) {
      if (!line.endsWith(END)) {
        continue; // a kill cut it short
      }
      String[] words = line.substring(0, line.length() - END.length()).split(" ");
      if (words[0].equals("begin")) {
        open = words;
      } else if (open != null) {
        if (words[1].equals(UNKNOWN)) {
          lines.add(json(client, open, open[2], open[4], "0"));
        } else if (!words[1].equals(NOTHING)) {
          lines.add(json(client, open, words[1], words[2], words[3]));
        }
        open = null;
      }
    }
    if (open != null && !open[2].equals("read")) {
      lines.add(json(client, open, open[2], open[4], "0"));
    }
    return lines;
  }

  private static String json(int client, String[] begin, String kind, String value, String end) {
    return "{\"client\":"
        + client
        + ",\"register\":\""
        + begin[1]
        + "\",\"kind\":\""
        + kind
        + "\",\"expected\":"
        + begin[3]
        + ",\"value\":"
        + value
        + ",\"begin\":"
        + begin[5]
        + ",\"end\":"
        + end
        + "}";
  }
}
