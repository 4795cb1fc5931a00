package dev.ralph.benchmarks;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The baseline of reads: parses the same files as a stream into the same fields. */
final class JacksonReader {

  private final JsonFactory factory = new JsonFactory();
  private final List<Path> files;
  private final @Nullable String wantedTopic;

  private JacksonReader(Path store, @Nullable String wantedTopic) {
    this.wantedTopic = wantedTopic;
    try (Stream<Path> log = Files.list(store.resolve("log"))) {
      files = log.sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads a store's log.
   *
   * @param store the folder of the store
   * @param wantedTopic the topic to tally, or null for all
   */
  static TaskTally read(Path store, @Nullable String wantedTopic) {
    TaskTally tally = new TaskTally();
    try {
      new JacksonReader(store, wantedTopic).read(tally);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return tally;
  }

  private void read(TaskTally tally) throws IOException {
    for (Path file : files) {
      try (JsonParser parser = factory.createParser(file.toFile())) {
        while (parser.nextToken() != null) {
          line(parser, tally);
        }
      }
    }
  }

  private void line(JsonParser parser, TaskTally tally) throws IOException {
    String id = null;
    String topic = "";
    String action = null;
    String status = null;
    long n = 0;
    String content = "";
    for (String field = parser.nextFieldName(); field != null; field = parser.nextFieldName()) {
      parser.nextToken();
      switch (field) {
        case "id" -> id = parser.getText();
        case "topic" -> topic = parser.getText();
        case "content" -> content = parser.getText();
        case "meta" -> {
          for (String key = parser.nextFieldName(); key != null; key = parser.nextFieldName()) {
            JsonToken value = parser.nextToken();
            switch (key) {
              case "action" -> action = parser.getText();
              case "status" -> status = parser.getText();
              case "n" -> n = value == JsonToken.VALUE_NUMBER_INT ? parser.getLongValue() : 0;
              default -> parser.skipChildren();
            }
          }
        }
        default -> parser.skipChildren();
      }
    }
    if (id != null && (wantedTopic == null || wantedTopic.equals(topic))) {
      tally.take(id, topic, action, status, n, content);
    }
  }
}
