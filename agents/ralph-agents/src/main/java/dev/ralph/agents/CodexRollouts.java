package dev.ralph.agents;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.RecordEntry;
import dev.ralph.Usage;
import dev.ralph.agents.internal.ClientName;
import dev.ralph.core.internal.process.GrowingFile;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the usage of a run from the session files that Codex writes during its work. Codex has a
 * file for the session's agent and a file for each agent started by it. The events and the final
 * sum of Codex leave out the latter agents. The files are found by the session's id in the sessions
 * folder of Codex.
 *
 * <p>Safe for use by several threads.
 */
final class CodexRollouts {

  private static final System.Logger LOG = System.getLogger(CodexRollouts.class.getPackageName());
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  private static final int LONGEST_LINE = 4 * 1024 * 1024;

  /**
   * The most files to read. No session starts more agents, and files of other sessions are not read
   * further.
   */
  private static final int MOST_FILES = 500;

  /** The time that Codex has to create the file. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Path sessions;
  private final RunRecord record;
  private final Prices prices;
  private final @Nullable String model;
  private final Instant began;

  // Guarded by this.
  private final Set<Path> seen = new HashSet<>();
  private final List<Rollout> open = new ArrayList<>();
  private final Map<String, Tokens> turns = new HashMap<>();
  private final Map<String, String> models = new HashMap<>();
  private Tokens total = Tokens.NONE;
  private @Nullable String session;
  private @Nullable Rollout main;
  private long since;

  /**
   * Creates a reader and lists the files that exist before the start of Codex.
   *
   * @param home the home folder of Codex
   * @param model the requested model, or null for the choice of Codex
   */
  CodexRollouts(Path home, RunRecord record, Prices prices, @Nullable String model) {
    this.sessions = home.resolve("sessions");
    this.record = record;
    this.prices = prices;
    this.model = model;
    this.began = Instant.now();
    for (Path file : files()) {
      seen.add(file);
    }
  }

  /** Sets the id of the session. */
  synchronized void begin(String id) {
    if (session == null && ID.matcher(id).matches()) {
      session = id;
      since = System.nanoTime();
    }
  }

  /** Reads new lines of the known files. */
  synchronized void readNewLines() {
    if (session == null) {
      return;
    }
    if (main == null) {
      find();
    }
    for (Rollout file : List.copyOf(open)) {
      file.readNewLines();
    }
    reportUsage();
  }

  /** Finds the files of new agents, and reads new lines of all files. */
  synchronized void findNewFiles() {
    if (session != null) {
      find();
    }
    readNewLines();
  }

  private void client(@Nullable String version, @Nullable String model) {
    record.put(RecordEntry.client(ClientName.CODEX.name(), version, model, List.of(), session));
  }

  private void used(Tokens more, @Nullable String model) {
    if (!more.equals(Tokens.NONE)) {
      record.put(RecordEntry.used(model, valued(more, model)));
    }
  }

  /**
   * Accepts the usage at the end of the session, which leaves out the agents started by the
   * session's agent.
   */
  synchronized void sum(Tokens used) {
    total = total.orMore(used);
    reportUsage();
  }

  /**
   * Reads the remaining lines at the end of the run, and records usage that no request contained.
   */
  synchronized void end() {
    findNewFiles();
    if (turns.isEmpty()) {
      used(total, models.values().stream().findFirst().orElse(model));
    }
  }

  /** Returns whether the session's file is missing although the time limit has passed. */
  synchronized boolean isMissing() {
    return session != null && main == null && System.nanoTime() - since > PATIENCE.toNanos();
  }

  /** Returns whether the session's file was found. */
  synchronized boolean isFound() {
    return main != null;
  }

  private void find() {
    for (Path file : files()) {
      String name = file.getFileName().toString();
      boolean isMain = name.endsWith("-" + session + ".jsonl");
      if (isMain && main == null) {
        seen.add(file);
        main = new Rollout(file, true);
        open.add(main);
      } else if (!isMain && open.size() < MOST_FILES && seen.add(file)) {
        open.add(new Rollout(file, false));
      }
    }
  }

  /**
   * Returns the files of three days. Codex has a folder per day, a run may last past midnight, and
   * Codex may use another time zone.
   */
  private List<Path> files() {
    List<Path> files = new ArrayList<>();
    LocalDate today = LocalDate.now(ZoneOffset.UTC);
    for (int day = -1; day <= 1; day++) {
      Path folder = sessions.resolve(today.plusDays(day).toString().replace('-', '/'));
      if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
        continue;
      }
      try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "rollout-*.jsonl")) {
        found.forEach(files::add);
      } catch (IOException | DirectoryIteratorException e) {
        LOG.log(Level.DEBUG, "cannot list the Codex sessions", e);
      }
    }
    return files;
  }

  private void reportUsage() {
    Usage all = Usage.NONE;
    for (Map.Entry<String, Tokens> turn : turns.entrySet()) {
      all = all.plus(valued(turn.getValue(), models.getOrDefault(turn.getKey(), model)));
    }
    if (turns.isEmpty()) {
      all = valued(total, models.values().stream().findFirst().orElse(model));
    }
    if (!all.equals(Usage.NONE)) {
      record.setUsage(all);
    }
  }

  private Usage valued(Tokens tokens, @Nullable String model) {
    return record.priced(tokens.usage(prices, model), model);
  }

  /**
   * Parses tokens. The input count includes tokens read from and written to a cache, and the output
   * count includes reasoning.
   */
  static Tokens tokens(JsonNode usage) {
    long cached = usage.path("cached_input_tokens").asLong();
    long toCache = usage.path("cache_write_input_tokens").asLong();
    return new Tokens(
        usage.path("input_tokens").asLong() - cached - toCache,
        cached,
        toCache,
        usage.path("output_tokens").asLong());
  }

  /** The file of an agent. */
  private final class Rollout {

    private final boolean isMain;
    private final GrowingFile file;

    Rollout(Path path, boolean isMain) {
      this.isMain = isMain;
      this.file = new GrowingFile(path, LONGEST_LINE, this::accept);
    }

    void readNewLines() {
      try {
        file.readLines();
      } catch (IOException e) {
        LOG.log(Level.DEBUG, "cannot read a Codex session", e);
      }
    }

    private void accept(String line) {
      if (!line.contains("\"token_") && !line.contains("\"turn_context\"") && !isFirst(line)) {
        return; // most lines are long and irrelevant
      }
      JsonNode event;
      try {
        event = JSON.readTree(line);
        if (Instant.parse(event.path("timestamp").asText()).isBefore(began)) {
          return; // from an earlier run of a resumed session
        }
      } catch (JsonProcessingException | DateTimeException notOfCodex) {
        return;
      }
      accept(event.path("type").asText(), event.path("payload"));
    }

    private boolean isFirst(String line) {
      return line.contains("\"session_meta\"");
    }

    private void accept(String type, JsonNode payload) {
      String turn = payload.path("turn_id").asText();
      switch (type) {
        case "session_meta" -> {
          if (isMain) {
            client(payload.path("cli_version").textValue(), null);
          } else if (!payload.path("session_id").asText().equals(session)) {
            open.remove(this);
          }
        }
        case "turn_context" -> {
          if (payload.path("model").isTextual()) {
            String named = payload.path("model").asText();
            if (!named.equals(models.put(turn, named)) && isMain) {
              client(null, named);
            }
          }
        }
        case "token_usage_record" -> {
          if (payload.path("session_id").asText().equals(session)) {
            Tokens before = turns.getOrDefault(turn, Tokens.NONE);
            Tokens now =
                turns.merge(turn, tokens(payload.path("turn_token_usage")), Tokens::orMore);
            used(now.minus(before), models.getOrDefault(turn, model));
          }
        }
        case "event_msg" -> {
          if (isMain && payload.path("type").asText().equals("token_count")) {
            total = total.orMore(tokens(payload.at("/info/total_token_usage")));
          }
        }
        default -> {
          // Not an event with usage.
        }
      }
    }
  }
}
