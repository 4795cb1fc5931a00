package dev.ralph.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Uses the commands that have to start fast, on a store of its own, while the virtual machine notes
 * which classes that takes. The launcher runs this to make its class-data archive.
 */
final class Training {

  private Training() {}

  static void run() throws IOException {
    Path folder = Files.createTempDirectory("ralph-training-");
    try {
      String store = folder.resolve("store").toString();
      List<List<String>> commands =
          List.of(
              List.of("task", "add", "--create", "one"),
              List.of("message", "-"),
              List.of("message", "-"),
              List.of("message", "-"),
              List.of("task", "add", "two", "--depends", "t1", "--priority", "1"),
              List.of("tasks"),
              List.of("tasks", "--ready", "--json"),
              List.of("tasks", "--at", "2100-01-01T00:00:00Z"),
              List.of("task", "status", "t1", "in_progress"),
              List.of("task", "claim", "t1", "--owner", "me", "--lease", "10m"),
              List.of("task", "show", "t1"),
              List.of("task", "done", "t1"),
              List.of("task", "block", "t2", "why"),
              List.of("message", "hello"),
              List.of("inbox"),
              List.of("inbox", "--all", "--json"),
              List.of("inbox", "read", "m1"),
              List.of("note", "add", "--type", "learning", "text"),
              List.of("notes"),
              List.of("notes", "--json"),
              List.of("iterations"),
              List.of("status"),
              List.of("status", "--json"),
              List.of("sessions"),
              List.of("log", "--limit", "3"),
              List.of("log", "--json"),
              List.of("complete"),
              List.of("pause"),
              List.of("stop"),
              List.of("task", "show", "t99"),
              List.of("help"),
              List.of("tusks"));
      // three of these make a log that is worth an index, which readers of large ones go by
      byte[] text = "text\n".repeat(10_000).getBytes(StandardCharsets.UTF_8);
      for (List<String> command : commands) {
        Environment environment =
            Environment.of(
                Map.of("RALPH_SESSION", "training", "RALPH_STORE", store),
                new ByteArrayInputStream(text),
                OutputStream.nullOutputStream(),
                OutputStream.nullOutputStream(),
                folder,
                null);
        Cli.run(command, environment);
      }
    } finally {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
