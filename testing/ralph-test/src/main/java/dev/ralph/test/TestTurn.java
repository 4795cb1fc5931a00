package dev.ralph.test;

import dev.ralph.Agent;
import dev.ralph.Ralph;
import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.Turn;
import dev.ralph.Usage;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A turn outside a loop, to run an {@link Agent} on its own. The turn keeps the output, notices,
 * records and usage of the agent. A test may change the turn's settings while the agent runs.
 * Thread-safe.
 */
public final class TestTurn implements Turn {

  private final Session session;
  private volatile int iteration = 1;
  private volatile String prompt = "";
  private volatile Path directory = Path.of("").toAbsolutePath();
  private volatile Duration grace = Duration.ofSeconds(5);
  private volatile String processMark = "test";
  private volatile @Nullable Instant deadline;
  private volatile @Nullable BigDecimal maxCost;
  private volatile boolean cancelled;
  private final List<String> output = new CopyOnWriteArrayList<>();
  private final Map<String, String> variables = new ConcurrentHashMap<>();
  private final List<String> notices = new CopyOnWriteArrayList<>();
  private final List<RecordEntry> records = new CopyOnWriteArrayList<>();
  private final List<Usage> usages = new CopyOnWriteArrayList<>();

  private TestTurn(Session session) {
    this.session = session;
  }

  /** Returns a turn of iteration 1 on a session: empty prompt, current directory, no time limit. */
  public static TestTurn on(Session session) {
    return new TestTurn(session);
  }

  /** Returns a turn of iteration 1 on a new session in memory. */
  public static TestTurn inMemory() {
    return on(Ralph.inMemory().session("test"));
  }

  // ---- settings

  /** Sets the number of the iteration. Returns this turn. */
  public TestTurn iteration(int iteration) {
    this.iteration = iteration;
    return this;
  }

  /** Sets the prompt. Returns this turn. */
  public TestTurn prompt(String prompt) {
    this.prompt = prompt;
    return this;
  }

  /** Sets the agent's working directory. Returns this turn. */
  public TestTurn directory(Path directory) {
    this.directory = directory;
    return this;
  }

  /**
   * Sets the deadline to the present time plus this limit; null for no limit. Returns this turn.
   */
  public TestTurn timeLimit(@Nullable Duration limit) {
    this.deadline = limit == null ? null : Instant.now().plus(limit);
    return this;
  }

  /** Sets the time that a cancelled agent has to end. Returns this turn. */
  public TestTurn grace(Duration grace) {
    this.grace = grace;
    return this;
  }

  /** Sets the maximum cost of the iteration in US dollars; null for no limit. Returns this turn. */
  public TestTurn maxCost(@Nullable BigDecimal usd) {
    this.maxCost = usd;
    return this;
  }

  /** Sets the mark of the agent's processes. Returns this turn. */
  public TestTurn processMark(String mark) {
    this.processMark = mark;
    return this;
  }

  /** Adds an environment variable for the agent's processes. Returns this turn. */
  public TestTurn variable(String name, String value) {
    variables.put(name, value);
    return this;
  }

  /** Cancels the turn. Unlike a loop, this method does not interrupt the agent's thread. */
  public void cancel() {
    cancelled = true;
  }

  // ---- results

  /** Returns the agent's output texts, in order. */
  public List<String> outputs() {
    return List.copyOf(output);
  }

  /** Returns the agent's notices for the operator, in order. */
  public List<String> notices() {
    return List.copyOf(notices);
  }

  /** Returns the agent's record entries, in order. */
  public List<RecordEntry> records() {
    return List.copyOf(records);
  }

  /** Returns the usage reports of the agent, in order, without consecutive duplicates. */
  public List<Usage> usages() {
    return List.copyOf(usages);
  }

  // ---- Turn

  @Override
  public Session session() {
    return session;
  }

  @Override
  public int iteration() {
    return iteration;
  }

  @Override
  public String prompt() {
    return prompt;
  }

  @Override
  public Path directory() {
    return directory;
  }

  @Override
  public @Nullable Instant deadline() {
    return deadline;
  }

  @Override
  public Duration grace() {
    return grace;
  }

  @Override
  public @Nullable BigDecimal maxCost() {
    return maxCost;
  }

  @Override
  public boolean cancelled() {
    return cancelled;
  }

  @Override
  public String processMark() {
    return processMark;
  }

  @Override
  public Map<String, String> variables() {
    Map<String, String> all = new TreeMap<>(Turn.super.variables());
    all.putAll(variables);
    return all;
  }

  @Override
  public void output(String text) {
    output.add(Objects.requireNonNull(text, "an output must not be null"));
  }

  @Override
  public synchronized void usage(Usage soFar) {
    Objects.requireNonNull(soFar, "a usage must not be null; use Usage.NONE for unknown usage");
    if (usages.isEmpty() || !usages.get(usages.size() - 1).equals(soFar)) {
      usages.add(soFar);
    }
  }

  @Override
  public void record(RecordEntry entry) {
    records.add(Objects.requireNonNull(entry, "an entry must not be null"));
  }

  @Override
  public void notice(String text) {
    notices.add(Objects.requireNonNull(text, "a notice must not be null"));
  }
}
