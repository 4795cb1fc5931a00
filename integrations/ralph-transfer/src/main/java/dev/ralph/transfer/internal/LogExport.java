package dev.ralph.transfer.internal;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.ralph.domain.NumberedState;
import dev.ralph.domain.Timestamp;
import dev.ralph.log.Damage;
import dev.ralph.log.DamagedException;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.TopicFilter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Writes the frames of a store to a stream, one JSON object per line, oldest first. {@link
 * LogImport} restores the frames unchanged in another store. Two exports of the same frames of a
 * store are equal byte by byte.
 */
public final class LogExport {

  private static final int BUFFER = 64 << 10;

  private final OutputStream out;
  private final Set<String> without;
  private long frames;

  private LogExport(OutputStream out, Set<String> without) {
    this.out = out;
    this.without = without;
  }

  /**
   * Writes all selected frames now in the store, without erased frames. Unreadable frames are
   * omitted and reported in the last line and in the returned report.
   *
   * @param out flushed, not closed
   * @throws IOException if the stream cannot be written; the output then lacks the last line and is
   *     recognized as incomplete
   * @throws RalphException as thrown by the store; the output is incomplete as above
   */
  public static Report write(FrameLog store, TopicFilter filter, OutputStream out)
      throws IOException {
    return write(store, filter, Set.of(), out);
  }

  /**
   * Writes an export as {@link #write(FrameLog, TopicFilter, OutputStream)} does, without some
   * frames.
   *
   * @param without the ids of frames to omit. A frame that assigned a number, for example to a
   *     task, is exported with only this number, to prevent reuse of the number
   */
  public static Report write(
      FrameLog store, TopicFilter filter, Set<String> without, OutputStream out)
      throws IOException {
    MessageDigest digest = FormatHashes.sha256();
    BufferedOutputStream buffered =
        new BufferedOutputStream(new DigestOutputStream(out, digest), BUFFER);
    LogExport export = new LogExport(buffered, without);
    export.header(store.info(), filter);
    List<Damage> damage = export.frames(store, filter);
    buffered.flush();
    Meta end =
        Meta.of(ExportFormat.MARK, ExportFormat.END)
            .with("frames", export.frames)
            .with("sha256", FormatHashes.hex(digest.digest()))
            .with("complete", damage.isEmpty())
            .with("damage", damage.isEmpty() ? null : json(damage));
    export.line(end);
    buffered.flush();
    return new Report(export.frames, damage);
  }

  private void header(StoreInfo info, TopicFilter filter) throws IOException {
    line(
        Meta.of(ExportFormat.MARK, ExportFormat.BEGIN)
            .with("format", ExportFormat.VERSION)
            .with("store", info.storeId())
            .with("kind", info.kind())
            .with("topics", filter.patterns()));
  }

  private List<Damage> frames(FrameLog store, TopicFilter filter) throws IOException {
    Optional<Frame> last = store.last(filter);
    // Frames appended from now on are left to the next export; a busy log would never end.
    Query query = Query.of(filter);
    query = last.isPresent() ? query.until(last.get().position()) : query;
    List<Damage> damage = new ArrayList<>();
    try (FrameCursor cursor = store.read(query)) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        if (frame.isErased() || frame.isErasureNotice()) {
          continue; // an erasure notice concerns only frames of this store
        }
        if (without.contains(frame.id())) {
          number(frame);
          continue;
        }
        try {
          frame(frame, frame.meta(), frame.content());
        } catch (DamagedException e) {
          damage.add(Damage.ofContent(frame, e));
        }
      }
      damage.addAll(0, cursor.damage());
    }
    return damage;
  }

  /** Writes a frame with only the assigned number, if present, to prevent reuse of the number. */
  private void number(Frame frame) throws IOException {
    Optional<Draft> kept = NumberedState.keepingNumbers(frame.topic(), List.of(frame));
    if (kept.isPresent()) {
      frame(frame, kept.get().meta(), "");
    }
  }

  private void frame(Frame frame, Meta meta, String content) throws IOException {
    List<String> parts = parts(content);
    StringBuilder line = new StringBuilder(256);
    line.append("{\"id\":\"").append(frame.id());
    line.append("\",\"topic\":\"").append(frame.topic().name());
    line.append("\",\"time\":\"").append(Timestamp.of(frame.time()));
    line.append("\",\"meta\":").append(meta.json());
    if (parts.size() > 1) {
      line.append(",\"parts\":").append(parts.size());
    }
    write(line);
    content(parts.get(0));
    for (int part = 2; part <= parts.size(); part++) {
      line.setLength(0);
      write(line.append("{\"id\":\"").append(frame.id()).append("\",\"part\":").append(part));
      content(parts.get(part - 1));
    }
    frames++;
  }

  private static List<String> parts(String content) {
    if (content.length() <= ExportFormat.PART_CHARACTERS) {
      return List.of(content);
    }
    List<String> parts = new ArrayList<>();
    for (int from = 0; from < content.length(); ) {
      int to = Math.min(content.length(), from + ExportFormat.PART_CHARACTERS);
      if (to < content.length() && Character.isHighSurrogate(content.charAt(to - 1))) {
        to--; // keep surrogate pairs together
      }
      parts.add(content.substring(from, to));
      from = to;
    }
    return parts;
  }

  /** Writes the content member, unless the text is empty, and ends the line. */
  private void content(String text) throws IOException {
    if (!text.isEmpty()) {
      write(",\"content\":\"");
      out.write(JsonStringEncoder.getInstance().quoteAsUTF8(text));
      out.write('"');
    }
    write("}\n");
  }

  private void line(Meta object) throws IOException {
    write(object.json() + "\n");
  }

  private void write(CharSequence text) throws IOException {
    out.write(text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static List<Meta> json(List<Damage> damage) {
    List<Meta> all = new ArrayList<>();
    for (Damage each : damage) {
      all.add(
          Meta.of("file", each.file())
              .with("offset", each.offset())
              .with("bytes", each.bytes())
              .with("frames", each.frames())
              .with("description", each.description()));
    }
    return all;
  }

  /**
   * The result of an export.
   *
   * @param frames the number of written frames
   * @param damage the parts of the store that could not be read and are missing from the export
   */
  public record Report(long frames, List<Damage> damage) {

    /** Copies the list. */
    public Report {
      damage = List.copyOf(damage);
    }

    /** Returns whether the export contains all selected frames. */
    public boolean isComplete() {
      return damage.isEmpty();
    }
  }
}
