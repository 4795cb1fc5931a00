package dev.ralph.transfer.internal;

/**
 * The format of an export: one JSON object per line.
 *
 * <pre>
 * {"ralph":"export","format":1,"store":ID,"kind":KIND,"topics":[PATTERN…]}
 * {"id":ID,"topic":TOPIC,"time":TIME,"meta":{…},"content":TEXT}           one line per frame
 * {"ralph":"end","frames":COUNT,"sha256":HEX,"complete":true}
 * </pre>
 *
 * <p>Long content is split over several lines, to keep lines short: the frame's line then has
 * {@code "parts":N}, and each further line is {@code {"id":ID,"part":2,"content":TEXT}}. The hash
 * covers all bytes before the last line and detects cut or changed files. An export of a damaged
 * store has {@code "complete":false} and lists the {@code "damage"}.
 */
final class ExportFormat {

  static final int VERSION = 1;

  /** The member that only the first and the last line have. */
  static final String MARK = "ralph";

  static final String BEGIN = "export";
  static final String END = "end";

  /** The maximum number of content characters per line; with escapes at most 24 MiB. */
  static final int PART_CHARACTERS = 4 << 20;

  /** The maximum length of a line to read, above the length of any written line. */
  static final int MAX_LINE_BYTES = 32 << 20;

  /** The maximum length of content to read, to protect the memory against a wrong file. */
  static final int MAX_CONTENT_CHARACTERS = 64 << 20;

  private ExportFormat() {}
}
