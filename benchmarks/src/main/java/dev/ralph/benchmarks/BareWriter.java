package dev.ralph.benchmarks;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The baseline of appending: lines of the store's form, serialised by Jackson, written to a
 * channel. It mints no ids, takes no time and computes no checksum: those of its lines are always
 * the same.
 */
final class BareWriter implements AutoCloseable {

  private final JsonFactory factory = new JsonFactory();
  private final ByteArrayOutputStream lines = new ByteArrayOutputStream();
  private final String topic;
  private final FileChannel log;
  private final FileChannel lock;

  BareWriter(Path directory, String topic) throws IOException {
    Files.createDirectories(directory);
    this.topic = topic;
    this.log =
        FileChannel.open(
            directory.resolve("log"), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    this.lock =
        FileChannel.open(
            directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  /** Forgets the lines written before. */
  void begin() {
    lines.reset();
  }

  /** Adds the line of a frame that is a batch of its own. */
  void line(int n) throws IOException {
    line(n, 1, 1);
  }

  /** Adds the line of a frame that is one of several in its batch. */
  void line(int n, int part, int of) throws IOException {
    try (JsonGenerator json = factory.createGenerator(lines)) {
      json.writeStartObject();
      json.writeStringField("id", "03hoc0ldocsnxw1vyoix0uph7");
      json.writeStringField("topic", topic);
      json.writeStringField("time", "2026-01-01T00:00:00.000Z");
      json.writeStringField("batch", "03hoc0ldocsnxw1vyojj5pwbg");
      if (of > 1) {
        json.writeNumberField("part", part);
        json.writeNumberField("of", of);
      }
      json.writeObjectFieldStart("meta");
      json.writeStringField("action", "add");
      json.writeStringField("status", "remaining");
      json.writeNumberField("n", n);
      json.writeEndObject();
      json.writeStringField(
          "content", "Write the form for case " + n + ", with a test of each field");
      json.writeStringField("crc", "00000000");
      json.writeEndObject();
    }
    lines.write('\n');
  }

  /** Writes the lines under a lock. */
  void writeLocked() throws IOException {
    FileLock held = lock.lock();
    try {
      write();
    } finally {
      held.release();
    }
  }

  /** Writes the lines and waits until they are on the disk. */
  void writeForced() throws IOException {
    write();
    log.force(false);
  }

  private void write() throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(lines.toByteArray());
    while (buffer.hasRemaining()) {
      log.write(buffer);
    }
  }

  @Override
  public void close() throws IOException {
    log.close();
    lock.close();
  }
}
