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
 * A turn outside any loop, to run an {@link Agent} on its own. It keeps what the agent hands over.
 * What it gives to the agent can be changed while the agent runs. Safe for use by many threads.
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

  /** Returns the first turn on a session: no prompt, the present folder, no limit of time. */
  public static TestTurn on(Session session) {
    return new TestTurn(session);
  }

  /** Returns the first turn on a new session in memory. */
  public static TestTurn inMemory() {
    return on(Ralph.inMemory().session("test"));
  }

  // ---- what the agent is given

  /** Sets the iteration's number. Returns this turn. */
  public TestTurn iteration(int iteration) {
    this.iteration = iteration;
    return this;
  }

  /** Sets the prompt. Returns this turn. */
  public TestTurn prompt(String prompt) {
    this.prompt = prompt;
    return this;
  }

  /** Sets the folder to work in. Returns this turn. */
  public TestTurn directory(Path directory) {
    this.directory = directory;
    return this;
  }

  /** Lets the iteration's time be up in so long from now; null for no limit. Returns this turn. */
  public TestTurn timeLimit(@Nullable Duration limit) {
    this.deadline = limit == null ? null : Instant.now().plus(limit);
    return this;
  }

  /** Sets how long the agent has to end once it was cancelled. Returns this turn. */
  public TestTurn grace(Duration grace) {
    this.grace = grace;
    return this;
  }

  /** Sets how much the iteration may cost, in US dollars; null for no limit. Returns this turn. */
  public TestTurn maxCost(@Nullable BigDecimal usd) {
    this.maxCost = usd;
    return this;
  }

  /** Sets the mark of the agent's processes. Returns this turn. */
  public TestTurn processMark(String mark) {
    this.processMark = mark;
    return this;
  }

  /** Adds a variable for the environment of the agent's processes. Returns this turn. */
  public TestTurn variable(String name, String value) {
    variables.put(name, value);
    return this;
  }

  /** Asks the agent to end. A loop interrupts the agent's thread as well. */
  public void cancel() {
    cancelled = true;
  }

  // ---- what the agent handed over

  /** Returns what the agent said, in order. */
  public List<String> outputs() {
    return List.copyOf(output);
  }

  /** Returns what a person should know, in order. */
  public List<String> notices() {
    return List.copyOf(notices);
  }

  /** Returns what the agent did, as it told for the record, in order. */
  public List<RecordEntry> records() {
    return List.copyOf(records);
  }

  /** Returns what the agent told of its usage, in order, without repetitions. */
  public List<Usage> usages() {
    return List.copyOf(usages);
  }

  // ---- for the agent

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
    Objects.requireNonNull(soFar, "a usage must not be null; Usage.NONE says that none is known");
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
