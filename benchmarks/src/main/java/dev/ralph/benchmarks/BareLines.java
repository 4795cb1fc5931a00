package dev.ralph.benchmarks;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Creates lines in the file store's format with constant ids, times and checksums. */
interface BareLines {

  /** A constant id. */
  String ID = "03hoc0ldocsnxw1vyoix0uph7";

  /** A constant batch id. */
  String BATCH = "03hoc0ldocsnxw1vyojj5pwbg";

  /** A constant time. */
  String TIME = "2026-01-01T00:00:00.000Z";

  /** A constant checksum. */
  String CHECKSUM = "00000000";

  /** Discards the lines so far. */
  void clear();

  /**
   * Adds the line of a frame that adds a task.
   *
   * @param n the number of the task
   * @param part the number of the frame in its batch, from 1
   * @param of the number of frames in the batch
   */
  void add(int n, int part, int of) throws IOException;

  /** Returns the lines so far. */
  ByteBuffer bytes();

  private static String content(int n) {
    return "Write the form for case " + n + ", with a test of each field";
  }

  /** Returns an encoder that uses Jackson. */
  static BareLines byJackson(String topic) {
    return new ByJackson(topic);
  }

  /** Returns an encoder that copies bytes, as fast as possible. */
  static BareLines byHand(String topic) {
    return new ByHand(topic);
  }

  /** Writes the fields of each line with Jackson's generator. */
  final class ByJackson implements BareLines {
    private final JsonFactory factory = new JsonFactory();
    private final ByteArrayOutputStream lines = new ByteArrayOutputStream();
    private final String topic;

    private ByJackson(String topic) {
      this.topic = topic;
    }

    @Override
    public void clear() {
      lines.reset();
    }

    @Override
    public void add(int n, int part, int of) throws IOException {
      try (JsonGenerator json = factory.createGenerator(lines)) {
        json.writeStartObject();
        json.writeStringField("id", ID);
        json.writeStringField("topic", topic);
        json.writeStringField("time", TIME);
        json.writeStringField("batch", BATCH);
        if (of > 1) {
          json.writeNumberField("part", part);
          json.writeNumberField("of", of);
        }
        json.writeObjectFieldStart("meta");
        json.writeStringField("action", "add");
        json.writeStringField("status", "remaining");
        json.writeNumberField("n", n);
        json.writeEndObject();
        json.writeStringField("content", content(n));
        json.writeStringField("crc", CHECKSUM);
        json.writeEndObject();
      }
      lines.write('\n');
    }

    @Override
    public ByteBuffer bytes() {
      return ByteBuffer.wrap(lines.toByteArray());
    }
  }

  /** Copies the parts of each line into a reused array. */
  final class ByHand implements BareLines {
    private static final int LONGEST_NUMBER = 11;

    private final String topic;
    private byte[] bytes = new byte[1024];
    private int length;

    private ByHand(String topic) {
      this.topic = topic;
    }

    @Override
    public void clear() {
      length = 0;
    }

    @Override
    public void add(int n, int part, int of) {
      raw("{\"id\":\"");
      raw(ID);
      raw("\",\"topic\":\"");
      raw(topic);
      raw("\",\"time\":\"");
      raw(TIME);
      raw("\",\"batch\":\"");
      raw(BATCH);
      if (of > 1) {
        raw("\",\"part\":");
        number(part);
        raw(",\"of\":");
        number(of);
        raw(",\"meta\":{\"action\":\"");
      } else {
        raw("\",\"meta\":{\"action\":\"");
      }
      checked("add");
      raw("\",\"status\":\"");
      checked("remaining");
      raw("\",\"n\":");
      number(n);
      raw("},\"content\":\"");
      checked(content(n));
      raw("\",\"crc\":\"");
      raw(CHECKSUM);
      raw("\"}\n");
    }

    @Override
    public ByteBuffer bytes() {
      return ByteBuffer.wrap(bytes, 0, length);
    }

    private void reserve(int more) {
      if (bytes.length - length < more) {
        bytes = Arrays.copyOf(bytes, (bytes.length + more) * 2);
      }
    }

    /** Copies ASCII that needs no escapes. */
    @SuppressWarnings("deprecation") // the fastest access to ASCII bytes
    private void raw(String ascii) {
      reserve(ascii.length());
      ascii.getBytes(0, ascii.length(), bytes, length);
      length += ascii.length();
    }

    /** Copies ASCII after a check for escapes, which any text might need. */
    private void checked(String ascii) {
      for (int i = 0; i < ascii.length(); i++) {
        char c = ascii.charAt(i);
        if (c < ' ' || c > '~' || c == '"' || c == '\\') {
          throw new IllegalArgumentException("unexpected character in a benchmark line: " + ascii);
        }
      }
      raw(ascii);
    }

    private void number(int value) {
      reserve(LONGEST_NUMBER);
      int digits = 1;
      for (int rest = value; rest >= 10; rest /= 10) {
        digits++;
      }
      int rest = value;
      for (int i = length + digits - 1; i >= length; i--) {
        bytes[i] = (byte) ('0' + rest % 10);
        rest /= 10;
      }
      length += digits;
    }
  }
}
