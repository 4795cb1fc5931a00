package dev.ralph.core.internal.git;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A block between conflict markers in a text. Documents about merges may contain such blocks too. A
 * merge wrote the block only if its second side is part of the other version of the file.
 *
 * @param label the text after the closing marker, such as a branch or an abbreviated commit
 * @param theirs the lines between the separator and the closing marker, joined by line feeds
 */
public record ConflictBlock(String label, String theirs) {

  private static final Pattern MARKER = Pattern.compile("([<|=>])\\1{6,}(?: (.*))?");

  /** Returns the complete blocks of a text in order. */
  public static List<ConflictBlock> in(String text) {
    List<ConflictBlock> blocks = new ArrayList<>();
    StringBuilder theirs = new StringBuilder();
    int size = 0;
    char last = ' ';
    for (String line : text.lines().toList()) {
      Matcher marker = MARKER.matcher(line);
      char kind = marker.matches() ? line.charAt(0) : ' ';
      int length = kind == ' ' ? 0 : line.indexOf(' ') < 0 ? line.length() : line.indexOf(' ');
      if (kind == '<') {
        last = kind;
        size = length;
        theirs.setLength(0);
      } else if (kind == '=' && length == size && (last == '<' || last == '|')) {
        last = kind;
      } else if (kind == '|' && length == size && last == '<') {
        last = kind;
      } else if (kind == '>' && length == size && last == '=') {
        String label = marker.group(2) == null ? "" : marker.group(2).strip();
        blocks.add(new ConflictBlock(label, theirs.toString()));
        last = ' ';
      } else if (last == '=') {
        theirs.append(line).append('\n');
      }
    }
    return blocks;
  }

  /**
   * Returns whether a merge with the other version of the file could have written this block.
   *
   * @param other the text of the other version of the file
   */
  public boolean isFrom(String other) {
    String lines = "\n" + String.join("\n", other.lines().toList()) + "\n";
    return lines.contains("\n" + theirs) && !in(other).contains(this);
  }
}
