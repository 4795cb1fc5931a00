package dev.ralph.cli;

import dev.ralph.cli.call.Environment;
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

  /**
   * @param kind {@code chronicle} for the commands on such a store; anything else for those on
   *     files
   */
  static void run(String kind) throws IOException {
    Path folder = Files.createTempDirectory("ralph-training-");
    try {
      // So that the search for the store, which is part of the training, ends here.
      Files.createDirectory(folder.resolve(".git"));
      String store = kind.equals("chronicle") ? "chronicle:" + folder.resolve(".ralph/store") : "";
      run(COMMANDS, LONG, folder, store);
      run(List.of(List.of("mcp")), String.join("\n", CALLS), folder, store);
    } finally {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /**
   * @param store its address, or nothing if it is searched for
   */
  private static void run(List<List<String>> commands, String input, Path folder, String store) {
    for (List<String> command : commands) {
      Environment environment =
          Environment.of(
              Map.of("RALPH_SESSION", "training", "RALPH_STORE", store),
              new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
              OutputStream.nullOutputStream(),
              OutputStream.nullOutputStream(),
              folder,
              null);
      Cli.run(command, environment);
    }
  }

  private static final String LONG = "text\n".repeat(10_000);

  /** Three of these make a log that is worth an index, which readers of large ones go by. */
  private static final List<String> GROW = List.of("message", "-");

  private static final List<List<String>> COMMANDS =
      List.of(
          List.of("task", "add", "--create", "one"),
          GROW,
          GROW,
          GROW,
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
          List.of("message", "--name", "new", "hello"),
          List.of("tasks", "--name", "unknown"),
          List.of("help"),
          List.of("tusks"));

  private static final List<String> CALLS =
      List.of(
          "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"server/discover\"}",
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
              + "\"2025-11-25\",\"capabilities\":{\"roots\":{\"listChanged\":true},\"elicitation\":{}},"
              + "\"clientInfo\":{\"name\":\"client\",\"version\":\"1\"}}}",
          "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
          "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}",
          call(3, "inbox_list", ""),
          call(4, "task_next", ""),
          call(5, "task_list", ""),
          call(6, "note_add", "\"type\":\"tip\",\"content\":\"text\""),
          call(7, "note_list", ""),
          call(8, "task_status", "\"id\":\"t1\",\"status\":\"completed\""),
          call(9, "task_status", "\"id\":\"t99\",\"status\":\"completed\""));

  private static String call(int id, String tool, String arguments) {
    return "{\"jsonrpc\":\"2.0\",\"id\":"
        + id
        + ",\"method\":\"tools/call\",\"params\":{\"name\":\""
        + tool
        + "\",\"arguments\":{"
        + arguments
        + "}}}";
  }
}
