package dev.ralph.transfer.internal;

import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.spi.Scru128;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the output of {@code xs cat}, the format of ralph.nu's sessions:
 *
 * <pre>
 * {"topic":TOPIC,"id":ID,"hash":HASH|null,"meta":{…}|null,"ttl":TTL|null,"content":TEXT?}
 * </pre>
 *
 * <p>Frames of sessions are converted to the form that this program writes: session names without
 * dots, metadata times in the extended form of ISO-8601, and content without the final line break
 * that the shell added.
 */
final class XsReader implements FrameReader {

  static final String NAME = "xs";
  private static final String SYSTEM = "xs.";
  private static final String TIMESTAMP = "timestamp";
  private static final String TTL = "ttl";
  private static final String CONTENT_MISSING = "content_missing";

  /** ISO-8601 without the colon in the offset, as written by strftime's %z. */
  private static final Pattern COLONLESS =
      Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?[+-]\\d{4}");

  private final LineReader lines;
  private final @Nullable HashedContents contents;
  private final LogImport.MissingContent missing;
  private final SessionNaming sessions;
  private final ImportReport.Tally tally;
  private final Set<String> refusedTopics = new HashSet<>();
  private @Nullable JsonLine first;
  private String lastId = "";

  /**
   * Creates a reader.
   *
   * @param first the first line, which was read already
   * @param contents the contents outside the file, or null for none
   */
  XsReader(
      LineReader lines,
      JsonLine first,
      @Nullable HashedContents contents,
      LogImport.MissingContent missing,
      SessionNaming sessions,
      ImportReport.Tally tally) {
    this.lines = lines;
    this.first = first;
    this.contents = contents;
    this.missing = missing;
    this.sessions = sessions;
    this.tally = tally;
  }

  @Override
  public @Nullable Entry next() throws IOException {
    while (true) {
      JsonLine line = first == null ? lines.next() : first;
      first = null;
      if (line == null) {
        return null;
      }
      String topic = line.required("topic");
      if (topic.startsWith(SYSTEM)) {
        tally.system++;
        continue;
      }
      Entry entry = frame(line, topic);
      if (entry != null) {
        return entry;
      }
    }
  }

  private @Nullable Entry frame(JsonLine line, String topicName) throws IOException {
    long number = lines.number();
    String id = line.required("id");
    Instant time = time(id);
    tally.unsorted += id.compareTo(lastId) < 0 ? 1 : 0;
    lastId = id;
    boolean ofSession = SessionNaming.sessionIn(topicName) != null;
    Topic topic = topic(topicName, number, id);
    HashedContents.Found found = content(line);
    String problem = found.problem();
    boolean isRefused = missing == LogImport.MissingContent.REFUSE;
    Meta meta = meta(line, ofSession);
    if (meta != null && problem != null && !isRefused) {
      meta = meta.with(CONTENT_MISSING, line.text("hash"));
    }
    if (meta == null || !StoreLimits.allow(meta)) {
      StoreLimits.refuseMeta(tally, number, id);
      meta = null;
    }
    if (problem != null) {
      if (isRefused) {
        tally.problem(number, id, ImportReport.Problem.Kind.CONTENT, problem);
        return null;
      }
      tally.withoutContent(number, id, problem);
    }
    if (topic == null || meta == null) {
      return null;
    }
    String content = ofSession ? withoutLineBreak(found.text()) : found.text();
    try {
      return new Entry(number, Draft.imported(id, time, topic, meta, content));
    } catch (RalphException e) {
      throw lines.wrong(String.valueOf(e.getMessage()));
    }
  }

  private Instant time(String id) {
    Instant time;
    try {
      time = Instant.ofEpochMilli(Scru128.timestampMillis(id));
    } catch (RalphException e) {
      throw lines.wrong(String.valueOf(e.getMessage()));
    }
    if (!StoreLimits.allow(time)) {
      throw lines.wrong(
          "the time of the id "
              + RalphException.quote(id)
              + ", "
              + time
              + ", is not in the years 0000 to 9999");
    }
    return time;
  }

  private @Nullable Topic topic(String name, long line, String id) {
    try {
      return Topic.of(sessions.topicHere(name, id));
    } catch (RalphException e) {
      if (refusedTopics.size() < ImportReport.MAX_LISTED && refusedTopics.add(name)) {
        tally.problem(line, id, ImportReport.Problem.Kind.TOPIC, String.valueOf(e.getMessage()));
      }
      return null;
    }
  }

  /** Returns the converted metadata, or null if it is not valid. */
  private @Nullable Meta meta(JsonLine line, boolean ofSession) throws IOException {
    Meta meta = line.meta();
    if (meta == null) {
      return null;
    }
    String timestamp = ofSession ? meta.string(TIMESTAMP) : null;
    if (timestamp != null && COLONLESS.matcher(timestamp).matches()) {
      meta = Meta.parse(JsonLine.replaceText(meta.json(), TIMESTAMP, withColon(timestamp)));
    }
    String ttl = line.has(TTL) && !meta.has(TTL) ? line.text(TTL) : null;
    return ttl == null || ttl.equals("forever") ? meta : meta.with(TTL, ttl);
  }

  /** Returns the time with an offset such as {@code -08:00}. */
  private static String withColon(String time) {
    int colon = time.length() - 2;
    return time.substring(0, colon) + ":" + time.substring(colon);
  }

  private HashedContents.Found content(JsonLine line) throws IOException {
    String hash = line.text("hash");
    String inline = line.text("content");
    if (inline != null) {
      return hash == null
          ? HashedContents.Found.of(inline)
          : HashedContents.check(hash, inline.getBytes(StandardCharsets.UTF_8));
    }
    if (hash == null) {
      return HashedContents.Found.of("");
    }
    return contents == null
        ? HashedContents.Found.problem(
            "the content " + RalphException.quote(hash) + " is not in the file")
        : contents.find(hash);
  }

  private static String withoutLineBreak(String text) {
    return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
