package dev.ralph;

import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * How an agent's tools behave. Immutable: each method returns settings that differ in one point.
 */
public final class ToolSettings {

  /** The defaults. */
  public static final ToolSettings STANDARD =
      new ToolSettings(
          "",
          0,
          0,
          false,
          Duration.ofMinutes(10),
          Duration.ofMinutes(2),
          List.of(),
          Path.of(""),
          Duration.ofSeconds(45));

  private static final Duration LONGEST_LEASE = Duration.ofDays(30);

  private final String owner;
  private final int iteration;
  private final int agent;
  private final boolean inLoop;
  private final Duration messageLease;
  private final Duration claimLease;
  private final List<Gate.Command> gates;
  private final Path directory;
  private final Duration gateLimit;

  private ToolSettings(
      String owner,
      int iteration,
      int agent,
      boolean inLoop,
      Duration messageLease,
      Duration claimLease,
      List<Gate.Command> gates,
      Path directory,
      Duration gateLimit) {
    this.owner = owner;
    this.iteration = iteration;
    this.agent = agent;
    this.inLoop = inLoop;
    this.messageLease = messageLease;
    this.claimLease = claimLease;
    this.gates = gates;
    this.directory = directory;
    this.gateLimit = gateLimit;
  }

  /**
   * Names the agent, for one that comes again: it holds its tasks by that name, so that it goes on
   * with them through tools that were opened elsewhere. Two agents must not have the same name. If
   * not set, each opening of tools is an agent of its own.
   *
   * @throws RalphException INVALID if it can't be a segment of a topic
   */
  public ToolSettings owner(String name) {
    return new ToolSettings(
        Topic.checkSegment("an agent's name", Objects.requireNonNull(name, "name")),
        iteration,
        agent,
        inLoop,
        messageLease,
        claimLease,
        gates,
        directory,
        gateLimit);
  }

  /**
   * Says which iteration the agent works in, for what it adds; if not set, or 0, the one that the
   * log says is running.
   */
  public ToolSettings iteration(int iteration) {
    return new ToolSettings(
        owner, iteration, agent, inLoop, messageLease, claimLease, gates, directory, gateLimit);
  }

  /**
   * Says which one the agent is of several that a loop lets work at once, from 1; 0, as if not set,
   * for one that works alone. It works on the task that the loop gave it, and on no other.
   */
  public ToolSettings agent(int number) {
    return new ToolSettings(
        owner, iteration, number, inLoop, messageLease, claimLease, gates, directory, gateLimit);
  }

  /**
   * Says that a loop has started the agent, so that its work ends with the iteration, also where
   * its tools stay open: what it has not finished then is given back, and what it was shown comes
   * again if the iteration fails.
   */
  public ToolSettings inLoop() {
    return new ToolSettings(
        owner, iteration, agent, true, messageLease, claimLease, gates, directory, gateLimit);
  }

  /**
   * Sets for how long a message that the agent was shown is kept from other agents while nobody
   * knows whether it has seen it; 10 minutes if not set, 1 ms to 30 days.
   *
   * @throws RalphException INVALID if it is outside that range
   */
  public ToolSettings messageLease(Duration lease) {
    return new ToolSettings(
        owner, iteration, agent, inLoop, checked(lease), claimLease, gates, directory, gateLimit);
  }

  /**
   * Sets for how long a task stays claimed once the agent is gone; 2 minutes if not set, 1 ms to 30
   * days. It is renewed while the agent's tools are open.
   *
   * @throws RalphException INVALID if it is outside that range
   */
  public ToolSettings claimLease(Duration lease) {
    return new ToolSettings(
        owner, iteration, agent, inLoop, messageLease, checked(lease), gates, directory, gateLimit);
  }

  private static Duration checked(Duration lease) {
    Objects.requireNonNull(lease, "lease");
    if (lease.toMillis() < 1 || lease.compareTo(LONGEST_LEASE) > 0) {
      throw RalphException.invalid(
          "a lease must be 1 ms to " + LONGEST_LEASE.toDays() + " days, not " + lease);
    }
    return lease;
  }

  /**
   * Adds a command that must succeed before the agent's claim that all is done is accepted. It runs
   * when the agent says so, and the result holds what it printed if it fails. A loop runs its own
   * gates besides.
   */
  public ToolSettings gate(Gate.Command gate) {
    Objects.requireNonNull(gate, "gate");
    List<Gate.Command> more = new ArrayList<>(gates);
    more.add(gate);
    return new ToolSettings(
        owner,
        iteration,
        agent,
        inLoop,
        messageLease,
        claimLease,
        List.copyOf(more),
        directory,
        gateLimit);
  }

  /** Sets the folder that gates work in; the present one if not set. */
  public ToolSettings directory(Path directory) {
    Objects.requireNonNull(directory, "directory");
    return new ToolSettings(
        owner, iteration, agent, inLoop, messageLease, claimLease, gates, directory, gateLimit);
  }

  /**
   * Sets how long all gates may take together before they are left to the loop; 45 seconds if not
   * set, because clients give up a call after a minute.
   */
  public ToolSettings gateLimit(Duration limit) {
    Objects.requireNonNull(limit, "limit");
    return new ToolSettings(
        owner, iteration, agent, inLoop, messageLease, claimLease, gates, directory, limit);
  }

  /** Returns the name that the agent holds its tasks by, or nothing if it has none. */
  public String owner() {
    return owner;
  }

  /** Returns the iteration, or 0 if the log tells. */
  public int iteration() {
    return iteration;
  }

  /** Returns the number of the agent among several, or 0. */
  public int agent() {
    return agent;
  }

  /** Returns whether a loop has started the agent. */
  public boolean isInLoop() {
    return inLoop;
  }

  /** Returns for how long a message that was shown is kept from others. */
  public Duration messageLease() {
    return messageLease;
  }

  /** Returns for how long a task stays claimed. */
  public Duration claimLease() {
    return claimLease;
  }

  /** Returns the gates. */
  public List<Gate.Command> gates() {
    return gates;
  }

  /** Returns the folder that gates work in. */
  public Path directory() {
    return directory;
  }

  /** Returns how long all gates may take together. */
  public Duration gateLimit() {
    return gateLimit;
  }
}
