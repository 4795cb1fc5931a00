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
 * The operations of one process with their times. Each operation has a line for the begin and a
 * line for the end. Each line is written to the file immediately, so a killed process loses no
 * line. An operation without an end has an unknown outcome. All processes use the machine's
 * monotonic clock.
 */
final class History implements AutoCloseable {

  /** The result of an operation without effect. */
  static final String NOTHING = "nothing";

  /** The result of an operation that may have taken place, or may still. */
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

  /** Records the end of the operation with its final kind and value. */
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

  /** Returns the operations for the judge, as lines of JSON. */
  static List<String> lines(Path file, int client) throws IOException {
    List<String> lines = new ArrayList<>();
    String[] open = null;
    for (String line : Files.readAllLines(file)) {
      if (!line.endsWith(END)) {
        continue; // truncated by a kill
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
