package dev.ralph;

import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The settings of an agent's tools. Immutable: each setter returns a copy. */
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
   * Sets the name of the agent, which holds its tasks by the name. An agent continues its tasks
   * after reopening tools under the same name. Two agents must not have the same name. If not set,
   * each call that opens tools creates a new agent.
   *
   * @throws RalphException INVALID if the name is no valid segment of a topic
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

  /** Sets the iteration of the agent. If not set or 0, the running iteration of the log is used. */
  public ToolSettings iteration(int iteration) {
    return new ToolSettings(
        owner, iteration, agent, inLoop, messageLease, claimLease, gates, directory, gateLimit);
  }

  /**
   * Sets the number of the agent, from 1, if several agents of a loop work at once; 0 or not set
   * for a single agent. A numbered agent works only on its assigned task.
   */
  public ToolSettings agent(int number) {
    return new ToolSettings(
        owner, iteration, number, inLoop, messageLease, claimLease, gates, directory, gateLimit);
  }

  /**
   * Marks the agent as started by a loop. At the end of the iteration, unfinished tasks are
   * released, also if the tools stay open; messages are shown again if the iteration fails.
   */
  public ToolSettings inLoop() {
    return new ToolSettings(
        owner, iteration, agent, true, messageLease, claimLease, gates, directory, gateLimit);
  }

  /**
   * Sets the lease on messages shown to the agent: 1 ms to 30 days, 10 minutes if not set. Other
   * agents do not get the messages during the lease, unless the agent has ended.
   *
   * @throws RalphException INVALID if the lease is out of range
   */
  public ToolSettings messageLease(Duration lease) {
    return new ToolSettings(
        owner, iteration, agent, inLoop, checked(lease), claimLease, gates, directory, gateLimit);
  }

  /**
   * Sets the lease on claimed tasks: 1 ms to 30 days, 2 minutes if not set. The lease is renewed
   * while the agent's tools are open.
   *
   * @throws RalphException INVALID if the lease is out of range
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
   * Adds a gate that runs when the agent claims completion. If the gate fails, the claim is
   * refused, and the result contains the output of the gate. A loop runs its own gates too.
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

  /** Sets the working directory of gates; the present directory if not set. */
  public ToolSettings directory(Path directory) {
    Objects.requireNonNull(directory, "directory");
    return new ToolSettings(
        owner, iteration, agent, inLoop, messageLease, claimLease, gates, directory, gateLimit);
  }

  /**
   * Sets the time limit of all gates together; 45 seconds if not set, because clients end a call
   * after a minute. Slower gates are left to the loop.
   */
  public ToolSettings gateLimit(Duration limit) {
    Objects.requireNonNull(limit, "limit");
    return new ToolSettings(
        owner, iteration, agent, inLoop, messageLease, claimLease, gates, directory, limit);
  }

  /** Returns the name of the agent; empty if not set. */
  public String owner() {
    return owner;
  }

  /** Returns the iteration, or 0 for the running iteration of the log. */
  public int iteration() {
    return iteration;
  }

  /** Returns the number of the agent, or 0. */
  public int agent() {
    return agent;
  }

  /** Returns whether a loop started the agent. */
  public boolean isInLoop() {
    return inLoop;
  }

  /** Returns the lease on shown messages. */
  public Duration messageLease() {
    return messageLease;
  }

  /** Returns the lease on claimed tasks. */
  public Duration claimLease() {
    return claimLease;
  }

  /** Returns the gates. */
  public List<Gate.Command> gates() {
    return gates;
  }

  /** Returns the working directory of gates. */
  public Path directory() {
    return directory;
  }

  /** Returns the time limit of all gates together. */
  public Duration gateLimit() {
    return gateLimit;
  }
}
