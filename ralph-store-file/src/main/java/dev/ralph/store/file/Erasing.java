package dev.ralph.store.file;

import dev.ralph.log.Topic;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.SegmentFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Frames that are being erased, as the file {@code erasing} tells: a line for each, written before
 * anything is changed, and removed once all is done. The next process that takes the store's lock
 * and finds the file does the rest; a reader of a line that is half erased takes the rest from
 * here.
 */
final class Erasing {

  private static final String FRAME = "frame";
  private static final String CONTENT = "content";
  private static final String NOTICE = "notice";

  private final List<Body> bodies = new ArrayList<>();
  private final Set<String> addresses = new TreeSet<>();
  private final Map<Topic, List<String>> ids = new TreeMap<>();

  /** Where in a segment the meta and content of a frame stand, and the letters to end with. */
  private record Body(int segment, long offset, int length, byte[] letters) {

    /** Puts the part of the tombstone that lies in a stretch of the segment into a copy of it. */
    void putInto(byte[] buffer, long bufferOffset, int limit) {
      long from = Math.max(offset, bufferOffset);
      long to = Math.min(offset + length, bufferOffset + limit);
      if (from < to) {
        System.arraycopy(
            tombstone(),
            (int) (from - offset),
            buffer,
            (int) (from - bufferOffset),
            (int) (to - from));
      }
    }

    byte[] tombstone() {
      byte[] bytes = new byte[length];
      Tombstone.write(bytes, 0, length, letters);
      return bytes;
    }
  }

  /** Returns what is being erased, or null if nothing is. */
  static @Nullable Erasing read(Segments segments) {
    try {
      return parse(
          new String(PrivateFiles.read(segments.erasing()), StandardCharsets.US_ASCII)
              .lines()
              .toList());
    } catch (FileNotFoundException nothing) {
      return null;
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot read " + segments.erasing(), e);
    }
  }

  private static Erasing parse(List<String> lines) {
    Erasing erasing = new Erasing();
    for (String line : lines) {
      String[] words = line.split(" ");
      if (words[0].equals(FRAME)) {
        erasing.add(
            Integer.parseInt(words[1]),
            Long.parseLong(words[2]),
            Integer.parseInt(words[3]),
            Line.ascii(words[4]));
      } else if (words[0].equals(CONTENT)) {
        erasing.addresses.add(words[1]);
      } else if (words[0].equals(NOTICE)) {
        erasing.ids.put(Topic.of(words[1]), List.of(words).subList(2, words.length));
      }
    }
    return erasing;
  }

  /** Adds what stands in the place of a frame's meta and content from now on. */
  private void add(int segment, long offset, int length, byte[] letters) {
    bodies.add(new Body(segment, offset, length, letters));
  }

  /** Adds a frame. */
  void add(FileFrame frame, int segment, long bodyOffset, int length, byte[] letters) {
    add(segment, bodyOffset, length, letters);
    String address = frame.contentAddress();
    if (address != null) {
      addresses.add(address);
    }
    ids.computeIfAbsent(frame.topic(), none -> new ArrayList<>()).add(frame.id());
  }

  int count() {
    return bodies.size();
  }

  /** Returns the addresses of contents that the frames had; others may have the same. */
  Set<String> addresses() {
    return addresses;
  }

  /** Returns the ids of the frames by their topics. */
  Map<Topic, List<String>> ids() {
    return ids;
  }

  /** Leaves word of it, durably. */
  void write(Segments segments) {
    StringBuilder text = new StringBuilder();
    for (Body body : bodies) {
      text.append(FRAME).append(' ').append(body.segment).append(' ').append(body.offset);
      text.append(' ').append(body.length).append(' ');
      text.append(new String(body.letters, StandardCharsets.US_ASCII)).append('\n');
    }
    for (String address : addresses) {
      text.append(CONTENT).append(' ').append(address).append('\n');
    }
    ids.forEach(
        (topic, each) ->
            text.append(NOTICE)
                .append(' ')
                .append(topic)
                .append(' ')
                .append(String.join(" ", each))
                .append('\n'));
    byte[] bytes = Line.ascii(text.toString());
    PrivateFiles.writeAtomically(segments.erasing(), bytes, true);
  }

  /** Writes the tombstones, durably. May be done again. */
  void overwrite(Segments segments) throws IOException {
    int number = 0;
    SegmentFile file = null;
    try {
      for (Body body : bodies) {
        if (body.segment != number || file == null) {
          finish(file);
          number = body.segment;
          file = new SegmentFile(segments.file(number));
        }
        file.write(body.offset, body.tombstone(), body.length);
      }
      finish(file);
      file = null;
    } finally {
      if (file != null) {
        file.close();
      }
    }
  }

  private static void finish(@Nullable SegmentFile file) throws IOException {
    if (file != null) {
      file.sync();
      file.close();
    }
  }

  /** Puts the tombstones into what was read of a segment. */
  void putInto(int segment, byte[] buffer, long bufferOffset, int limit) {
    for (Body body : bodies) {
      if (body.segment == segment) {
        body.putInto(buffer, bufferOffset, limit);
      }
    }
  }

  /** Takes back the word, once all is done. */
  static void done(Segments segments) throws IOException {
    Files.deleteIfExists(segments.erasing());
    PrivateFiles.syncDirectory(segments.store());
  }
}
