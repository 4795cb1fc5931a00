package dev.ralph.transfer;

/**
 * The words of an export, which is one JSON object a line:
 *
 * <pre>
 * {"ralph":"export","format":1,"store":ID,"kind":KIND,"topics":[PATTERN…]}
 * {"id":ID,"topic":TOPIC,"time":TIME,"meta":{…},"content":TEXT}           a frame, and so on
 * {"ralph":"end","frames":COUNT,"sha256":HEX,"complete":true}
 * </pre>
 *
 * <p>Content that is long goes on in the following lines, such that no line is long: the frame has
 * {@code "parts":N} then, and each of the others {@code {"id":ID,"part":2,"content":TEXT}}. The
 * hash is of all bytes before the last line, so that a file which was cut or changed is noticed. An
 * export that lacks something says {@code "complete":false} and lists the {@code "damage"}.
 */
final class ExportFormat {

  static final int VERSION = 1;

  /** The member that the first and the last line have, and no other line. */
  static final String MARK = "ralph";

  static final String BEGIN = "export";
  static final String END = "end";

  /** How many characters of content one line has at most: with escapes that is 24 MiB. */
  static final int PART_CHARACTERS = 4 << 20;

  /** How long a line may be that is read; none that is written comes near it. */
  static final int MAX_LINE_BYTES = 32 << 20;

  /** How long content may be that is read, so that a wrong file does not fill the memory. */
  static final int MAX_CONTENT_CHARACTERS = 64 << 20;

  private ExportFormat() {}
}
