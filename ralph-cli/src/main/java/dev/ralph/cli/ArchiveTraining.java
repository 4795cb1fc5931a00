package dev.ralph.cli;

import dev.ralph.Ralph;
import dev.ralph.cli.call.Environment;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.mail.Mailboxes;
import dev.ralph.openspec.internal.ChangeSession;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.file.FileStoreProvider;
import dev.ralph.store.socket.internal.StoreSocket;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Runs commands while the virtual machine records the loaded classes. The launcher creates its
 * class-data archives with this class. Separate archives serve the fast commands, the MCP server,
 * mail, TX messages, AgentMail, and the agents of an OpenSpec change. The virtual machine may load
 * a whole archive at startup, so the class does nothing else; another process creates the store
 * first.
 */
final class ArchiveTraining {

  private ArchiveTraining() {}

  /**
   * @param kind {@code store} to create the store of the other kinds; {@code commands}; {@code
   *     mcp}; {@code mail}; {@code tx}; {@code agentmail}, which requires a substitute for tmux on
   *     the PATH; or {@code agent}
   * @param folder the working folder: empty for {@code store}, and the same folder for the other
   *     kinds
   * @param address the store's address, or an empty text to search for the store
   */
  static void run(String kind, Path folder, String address) {
    boolean isOnServer = address.startsWith("postgres:");
    String store = isOnServer ? "" : address;
    if (isOnServer && !kind.equals("store")) {
      loadDriver();
    }
    switch (kind) {
      case "store" -> {
        run(STORE, SESSION, LONG, folder, store);
        try (Ralph ralph =
            store.isEmpty()
                ? Ralph.openExisting(folder.resolve(".ralph/store"))
                : Ralph.open(store)) {
          keepSnapshot(ralph);
          beginChange(ralph, folder);
        }
      }
      case "mcp" -> work(List.of(List.of("mcp")), SESSION, String.join("\n", CALLS), folder, store);
      case "mail" -> work(MAIL, SESSION, "", folder, store);
      case "tx" -> run(TX, SESSION, "", folder, store);
      case "agentmail" -> run(AGENT_MAIL, SESSION, "", folder, store);
      case "agent" -> work(AGENT, text(folder.resolve(CHANGE_SESSION)), "", folder, store);
      default -> work(COMMANDS, SESSION, "", folder, store);
    }
  }

  /**
   * Runs the commands of agents, on a file store also through a socket like the agents of a loop.
   */
  private static void work(
      List<List<String>> commands, String session, String input, Path folder, String store) {
    run(commands, session, input, folder, store);
    if (!store.isEmpty()) {
      return;
    }
    StoreConfig place = StoreConfig.in(folder.resolve(".ralph/store")).existing();
    Path sockets = socketFolder();
    try (FrameStore served = new FileStoreProvider().open(place);
        StoreSocket socket = StoreSocket.serve(served, sockets.resolve("store"))) {
      run(commands, session, input, folder, socket.info().location());
    } finally {
      delete(sockets);
    }
  }

  /**
   * Creates a folder in the system's folder for temporary files, because the path of a socket is
   * short. {@code Files.createTempDirectory} would load the security providers and with them 200
   * classes into the archive.
   */
  private static Path socketFolder() {
    try {
      return Files.createDirectory(
          Path.of(System.getProperty("java.io.tmpdir"), "ralph-training-" + System.nanoTime()),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path folder) {
    try {
      Files.delete(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Loads the classes of the PostgreSQL store and its driver without a server, after a failed
   * connection attempt.
   */
  private static void loadDriver() {
    try (Ralph reached = Ralph.open("postgres://127.0.0.1:1/training")) {
      throw new IllegalStateException("something answers at port 1: " + reached);
    } catch (RalphException nobodyThere) {
      // expected
    }
    for (String path : System.getProperty("java.class.path").split(File.pathSeparator)) {
      if (Path.of(path).resolveSibling("").endsWith("postgres")) {
        try (JarFile jar = new JarFile(path)) {
          jar.stream().map(JarEntry::getName).forEach(ArchiveTraining::load);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private static void load(String entry) {
    if (entry.endsWith(".class") && !entry.startsWith("META-INF")) {
      String name = entry.substring(0, entry.length() - ".class".length()).replace('/', '.');
      try {
        Class.forName(name, false, ArchiveTraining.class.getClassLoader());
      } catch (ClassNotFoundException | LinkageError leftOut) {
        // the driver contains classes for missing libraries
      }
    }
  }

  private static void run(
      List<List<String>> commands, String session, String input, Path folder, String store) {
    for (List<String> command : commands) {
      Environment environment =
          Environment.of(
              Map.of("RALPH_SESSION", session, "RALPH_STORE", store, "TMUX", "training"),
              new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
              OutputStream.nullOutputStream(),
              OutputStream.nullOutputStream(),
              folder,
              null);
      Cli.run(command, environment);
    }
  }

  /** Appends enough messages for a snapshot. */
  private static void keepSnapshot(Ralph ralph) {
    Topic mail = Topic.of("mail.default.bob");
    for (int batch = 0; batch < SNAPSHOT_AFTER; batch += BATCH) {
      Draft message = Draft.of(mail, Meta.of("status", "unread"), "text");
      ralph.appendUnsynced(Collections.nCopies(BATCH, message));
    }
    Mailboxes.of(ralph, "default").box("bob").unread();
  }

  /** Creates a change and its session, and writes the session's name to a file. */
  private static void beginChange(Ralph ralph, Path folder) {
    Path change = folder.resolve("openspec/changes/training");
    write(folder.resolve("pom.xml"), "");
    write(change.resolve("proposal.md"), "## Why\n");
    write(change.resolve("design.md"), "## Context\n");
    write(change.resolve("tasks.md"), "## 1. One\n\n- [ ] 1.1 a\n  b\n- [ ] 1.2 c\n");
    write(
        change.resolve("specs/a/spec.md"),
        "## ADDED Requirements\n### Requirement: A\n#### Scenario: B\n- **WHEN** c\n- **THEN** d\n");
    write(
        folder.resolve(CHANGE_SESSION),
        ChangeSession.begin(ralph, folder, "training", null).name());
  }

  private static void write(Path file, String text) {
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final String SESSION = "training";

  /** The file with the name of the change's session. */
  private static final String CHANGE_SESSION = "change-session";

  /** The number of messages to append, more than the frames between two snapshots. */
  private static final int SNAPSHOT_AFTER = 2_500;

  private static final int BATCH = 500;

  private static final String LONG = "text\n".repeat(10_000);

  /** Three of these messages make the log large enough for an index. */
  private static final List<String> GROW = List.of("message", "-");

  private static final List<List<String>> STORE =
      List.of(List.of("task", "add", "--create", "one"), GROW, GROW, GROW);

  private static final List<List<String>> COMMANDS =
      List.of(
          List.of("task", "add", "two", "--depends", "t1", "--priority", "1"),
          List.of("tasks"),
          List.of("tasks", "--ready", "--json"),
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
          List.of("help"));

  private static final List<List<String>> MAIL =
      List.of(
          List.of("mail", "send", "bob", "--as", "ann", "hello"),
          List.of("mail", "list", "--as", "bob"),
          List.of("mail", "receive", "--as", "bob", "--ack"),
          List.of("mail", "reply", "--as", "bob", "m1", "hello"),
          List.of("mail", "boxes"));

  private static final List<List<String>> TX =
      List.of(
          List.of("tx", "send", "brain", "--as", "core", "--id", "one", "hello"),
          List.of("tx", "msg"),
          List.of("tx", "msg", "--json", "--errors", "--agent", "brain", "--since", "1h"),
          List.of("tx", "thread", "one"),
          List.of("tx", "orphans"));

  private static final List<List<String>> AGENT_MAIL =
      List.of(
          List.of("agentmail", "send", "a", "text"),
          List.of("agentmail", "receive"),
          List.of("agentmail", "receive"),
          List.of("agentmail", "send", "b", "text"));

  private static final List<List<String>> AGENT =
      List.of(
          List.of("agent", "session", "next-story"),
          List.of("agent", "context"),
          List.of("agent", "learn", "text", "--task", "1.1"),
          List.of("agent", "task", "done", "1.1"),
          List.of("agent", "status"),
          List.of("agent", "task", "done", "9.9"));

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
