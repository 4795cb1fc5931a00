package dev.ralph.openspec.internal;

import dev.ralph.core.internal.text.PlainPath;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Appends learnings to a change's {@code design.md}. They are appended once, even if the append is
 * interrupted and repeated: the log records their place before the first byte is written.
 */
final class DesignFile {

  static final String NAME = "design.md";

  private static final String HEADING = "## Learnings";

  private final Path folder;
  private final Path file;

  /** Creates an instance for the folder of a change, which the caller has just checked. */
  DesignFile(Path folder) {
    this.folder = folder;
    this.file = folder.resolve(NAME);
  }

  /** Returns the size of the file in bytes, or 0 if it does not exist. */
  long size() {
    try {
      return Files.exists(file) ? Files.size(file) : 0;
    } catch (IOException e) {
      throw FileFailure.of("read", file, e);
    }
  }

  /**
   * Writes learnings at a place of the file.
   *
   * @param size the decided place: the size of the file in bytes at the decision
   * @param date the date in the heading
   */
  void append(List<Learning> learnings, long size, String date) {
    PlainPath.requireFile(folder, file);
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      byte[] before = read(open, 0, Math.min(size, open.length()));
      byte[] block =
          block(learnings, new String(before, StandardCharsets.UTF_8), date)
              .getBytes(StandardCharsets.UTF_8);
      byte[] behind = read(open, before.length, open.length() - before.length);
      if (before.length == size && isBeginning(behind, block)) {
        write(open, size, block); // left by a process that was killed
      } else {
        // The file was edited since, or a learning was removed: append the missing learnings.
        String there = new String(behind, StandardCharsets.UTF_8).replace("\r\n", "\n");
        List<Learning> rest =
            learnings.stream().filter(each -> !there.contains("\n" + item(each))).toList();
        if (!rest.isEmpty()) {
          String all = new String(read(open, 0, open.length()), StandardCharsets.UTF_8);
          write(open, open.length(), block(rest, all, date).getBytes(StandardCharsets.UTF_8));
        }
      }
    } catch (IOException e) {
      throw FileFailure.of("write the learnings to", file, e);
    }
  }

  private static void write(RandomAccessFile open, long at, byte[] block) throws IOException {
    open.seek(at);
    open.write(block);
    open.getFD().sync();
  }

  private static byte[] read(RandomAccessFile open, long from, long length) throws IOException {
    byte[] bytes = new byte[Math.toIntExact(length)];
    open.seek(from);
    open.readFully(bytes);
    return bytes;
  }

  private static boolean isBeginning(byte[] part, byte[] whole) {
    return part.length <= whole.length && Arrays.equals(part, Arrays.copyOf(whole, part.length));
  }

  /** Returns the learnings as Markdown, with the line breaks of the text before. */
  private static String block(List<Learning> learnings, String before, String date) {
    StringBuilder block = new StringBuilder();
    if (!before.isEmpty()) {
      block.append(before.endsWith("\n") ? "\n" : "\n\n");
    }
    if (!HEADING.equals(lastHeading(before))) {
      block.append(HEADING).append("\n\n");
    }
    Map<String, List<Learning>> byStory = new LinkedHashMap<>();
    for (Learning each : learnings) {
      String story = each.story() == null ? "" : " - Story " + each.story();
      byStory.computeIfAbsent(story, key -> new ArrayList<>()).add(each);
    }
    String gap = "";
    for (Map.Entry<String, List<Learning>> story : byStory.entrySet()) {
      block.append(gap).append("### ").append(date).append(story.getKey()).append("\n\n");
      story.getValue().forEach(each -> block.append(item(each)));
      gap = "\n";
    }
    int end = before.indexOf('\n');
    boolean isCrLf = end > 0 && before.charAt(end - 1) == '\r';
    return isCrLf ? block.toString().replace("\n", "\r\n") : block.toString();
  }

  private static String item(Learning each) {
    String text = each.text().strip().replaceAll("\\s*\\R\\s*", "\n  ");
    return "- " + text + (each.task() == null ? "" : " (Task " + each.task() + ")") + "\n";
  }

  private static String lastHeading(String text) {
    String last = "";
    List<String> lines = List.of(text.split("\\R"));
    BitSet code = MarkdownLine.code(lines);
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (!code.get(i) && (line.startsWith("## ") || line.startsWith("# "))) {
        last = line.strip();
      }
    }
    return last;
  }
}
