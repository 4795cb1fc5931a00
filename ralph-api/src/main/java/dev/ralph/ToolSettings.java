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
          new Caller("", 0, 0, false),
          new Leases(Duration.ofMinutes(10), Duration.ofMinutes(2)),
          new Gates(List.of(), Path.of(""), Duration.ofSeconds(45)));

  private static final Duration LONGEST_LEASE = Duration.ofDays(30);

  private final Caller caller;
  private final Leases leases;
  private final Gates gates;

  /** The agent that calls the tools. */
  private record Caller(String owner, int iteration, int agent, boolean isInLoop) {}

  private record Leases(Duration message, Duration claim) {}

  /** The gates of a claim of completion. */
  private record Gates(List<Gate.Command> commands, Path directory, Duration limit) {}

  private ToolSettings(Caller caller, Leases leases, Gates gates) {
    this.caller = caller;
    this.leases = leases;
    this.gates = gates;
  }

  private ToolSettings with(Caller other) {
    return new ToolSettings(other, leases, gates);
  }

  private ToolSettings with(Leases other) {
    return new ToolSettings(caller, other, gates);
  }

  private ToolSettings with(Gates other) {
    return new ToolSettings(caller, leases, other);
  }

  /**
   * Sets the name of the agent, which holds its tasks by the name. An agent continues its tasks
   * after reopening tools under the same name. Two agents must not have the same name. If not set,
   * each call that opens tools creates a new agent.
   *
   * @throws RalphException INVALID if the name is no valid segment of a topic
   */
  public ToolSettings owner(String name) {
    Topic.checkSegment("an agent's name", Objects.requireNonNull(name, "name"));
    return with(new Caller(name, caller.iteration, caller.agent, caller.isInLoop));
  }

  /** Sets the iteration of the agent. If not set or 0, the running iteration of the log is used. */
  public ToolSettings iteration(int iteration) {
    return with(new Caller(caller.owner, iteration, caller.agent, caller.isInLoop));
  }

  /**
   * Sets the number of the agent, from 1, if several agents of a loop work at once; 0 or not set
   * for a single agent. A numbered agent works only on its assigned task.
   */
  public ToolSettings agent(int number) {
    return with(new Caller(caller.owner, caller.iteration, number, caller.isInLoop));
  }

  /**
   * Marks the agent as started by a loop. At the end of the iteration, unfinished tasks are
   * released, also if the tools stay open; messages are shown again if the iteration fails.
   */
  public ToolSettings inLoop() {
    return with(new Caller(caller.owner, caller.iteration, caller.agent, true));
  }

  /**
   * Sets the lease on messages shown to the agent: 1 ms to 30 days, 10 minutes if not set. Other
   * agents do not get the messages during the lease, unless the agent has ended.
   *
   * @throws RalphException INVALID if the lease is out of range
   */
  public ToolSettings messageLease(Duration lease) {
    return with(new Leases(checked(lease), leases.claim));
  }

  /**
   * Sets the lease on claimed tasks: 1 ms to 30 days, 2 minutes if not set. The lease is renewed
   * while the agent's tools are open.
   *
   * @throws RalphException INVALID if the lease is out of range
   */
  public ToolSettings claimLease(Duration lease) {
    return with(new Leases(leases.message, checked(lease)));
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
    List<Gate.Command> more = new ArrayList<>(gates.commands);
    more.add(gate);
    return with(new Gates(List.copyOf(more), gates.directory, gates.limit));
  }

  /** Sets the working directory of gates; the present directory if not set. */
  public ToolSettings directory(Path directory) {
    Objects.requireNonNull(directory, "directory");
    return with(new Gates(gates.commands, directory, gates.limit));
  }

  /**
   * Sets the time limit of all gates together; 45 seconds if not set, because clients end a call
   * after a minute. Slower gates are left to the loop.
   */
  public ToolSettings gateLimit(Duration limit) {
    Objects.requireNonNull(limit, "limit");
    return with(new Gates(gates.commands, gates.directory, limit));
  }

  /** Returns the name of the agent; empty if not set. */
  public String owner() {
    return caller.owner;
  }

  /** Returns the iteration, or 0 for the running iteration of the log. */
  public int iteration() {
    return caller.iteration;
  }

  /** Returns the number of the agent, or 0. */
  public int agent() {
    return caller.agent;
  }

  /** Returns whether a loop started the agent. */
  public boolean isInLoop() {
    return caller.isInLoop;
  }

  /** Returns the lease on shown messages. */
  public Duration messageLease() {
    return leases.message;
  }

  /** Returns the lease on claimed tasks. */
  public Duration claimLease() {
    return leases.claim;
  }

  /** Returns the gates. */
  public List<Gate.Command> gates() {
    return gates.commands;
  }

  /** Returns the working directory of gates. */
  public Path directory() {
    return gates.directory;
  }

  /** Returns the time limit of all gates together. */
  public Duration gateLimit() {
    return gates.limit;
  }
}
