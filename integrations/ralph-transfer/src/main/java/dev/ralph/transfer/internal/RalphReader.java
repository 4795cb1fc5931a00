package dev.ralph.transfer.internal;

import dev.ralph.domain.Timestamp;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.io.IOException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Reads an export by {@link LogExport} in the {@link ExportFormat}. */
final class RalphReader implements FrameReader {

  static final String NAME = "ralph";

  private final LineReader lines;
  private final ImportReport.Tally tally;
  private long frames;
  private boolean done;

  /**
   * Creates a reader.
   *
   * @param first the first line, which was read already
   */
  RalphReader(LineReader lines, JsonLine first, ImportReport.Tally tally) {
    this.lines = lines;
    this.tally = tally;
    long format = first.number("format", 0);
    if (format != ExportFormat.VERSION) {
      throw lines.wrong(
          "unknown export format " + format + "; use a newer version of this program");
    }
  }

  @Override
  public @Nullable Entry next() throws IOException {
    while (!done) {
      JsonLine line = lines.next();
      if (line == null) {
        throw lines.wrong("the last line of the export is missing, so the file was cut");
      }
      if (line.has(ExportFormat.MARK)) {
        end(line);
      } else {
        Entry entry = frame(line);
        frames++;
        if (entry != null) {
          return entry;
        }
      }
    }
    return null;
  }

  private @Nullable Entry frame(JsonLine line) throws IOException {
    long number = lines.number();
    String id = line.required("id");
    Instant time = time(line.required("time"));
    String topicName = line.required("topic");
    Meta meta = line.meta();
    if (meta == null) {
      throw lines.wrong("the meta is not a JSON object");
    }
    long parts = line.number("parts", 1);
    if (parts < 1) {
      throw lines.wrong("the number of parts is " + parts + ", less than 1");
    }
    String content = line.text("content");
    if (parts > 1) {
      content = join(id, content == null ? "" : content, parts);
    }
    if (!StoreLimits.allow(meta)) {
      StoreLimits.refuseMeta(tally, number, id);
      return null;
    }
    Topic topic;
    try {
      topic = Topic.of(topicName);
    } catch (RalphException e) {
      tally.problem(number, id, ImportReport.Problem.Kind.TOPIC, String.valueOf(e.getMessage()));
      return null;
    }
    try {
      return new Entry(
          number, Draft.imported(id, time, topic, meta, content == null ? "" : content));
    } catch (RalphException e) {
      throw lines.wrong(String.valueOf(e.getMessage()));
    }
  }

  private Instant time(String text) {
    Instant time = Timestamp.parse(text);
    if (time == null || !StoreLimits.allow(time)) {
      throw lines.wrong("the time " + RalphException.quote(text) + " is not valid");
    }
    return time;
  }

  private String join(String id, String first, long parts) throws IOException {
    StringBuilder content = new StringBuilder(first);
    for (long part = 2; part <= parts; part++) {
      JsonLine line = lines.next();
      if (line == null || line.number("part", 0) != part || !id.equals(line.text("id"))) {
        throw lines.wrong(
            "part "
                + part
                + " of the content of frame "
                + RalphException.quote(id)
                + " is missing");
      }
      String more = line.required("content");
      if (content.length() + more.length() > ExportFormat.MAX_CONTENT_CHARACTERS) {
        throw lines.wrong(
            "the content has more than " + ExportFormat.MAX_CONTENT_CHARACTERS + " characters");
      }
      content.append(more);
    }
    return content.toString();
  }

  private void end(JsonLine line) throws IOException {
    if (!ExportFormat.END.equals(line.text(ExportFormat.MARK))) {
      throw lines.wrong("a second export begins; import each export from its own file");
    }
    long expected = line.number("frames", -1);
    if (expected != frames) {
      throw lines.wrong("the export should hold " + expected + " frames, and holds " + frames);
    }
    if (!lines.sha256().equals(line.text("sha256"))) {
      throw lines.wrong("the export was changed: the SHA-256 does not match");
    }
    tally.sourceComplete = line.isTrue("complete");
    if (lines.next() != null) {
      throw lines.wrong("text follows the last line of the export");
    }
    done = true;
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
