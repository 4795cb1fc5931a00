package dev.ralph.agents;

import dev.ralph.AgentResult;
import dev.ralph.RecordEntry;
import dev.ralph.Usage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.annotation.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * The data that a client has reported in a run: messages of the agent, tool calls, usage and
 * failures. A separate class per client reads its events and writes this record.
 *
 * <p>Safe for use by several threads.
 */
final class RunRecord {

  /** A finished tool call. */
  record ToolCall(String tool, String title, boolean failed) {}

  /**
   * A running tool call.
   *
   * @param since its start in the unit of {@link System#nanoTime}
   */
  private record Begun(String tool, String title, long since) {}

  private final Consumer<String> output;
  private final Consumer<RecordEntry> entries;
  private final Retries retries = new Retries();

  @GuardedBy("this")
  private final List<ToolCall> toolCalls = new ArrayList<>();

  /** The running calls by the client's id, the newest last. */
  @GuardedBy("this")
  private final Map<String, Begun> underWay = new LinkedHashMap<>();

  @GuardedBy("this")
  private final StringBuilder finalText = new StringBuilder();

  @GuardedBy("this")
  private String finalMessage = "";

  @GuardedBy("this")
  private Usage usage = Usage.NONE;

  @GuardedBy("this")
  private Usage usedElsewhere = Usage.NONE;

  @GuardedBy("this")
  private @Nullable ModelError error;

  @GuardedBy("this")
  private @Nullable AgentResult givenUp;

  @GuardedBy("this")
  private boolean answered;

  @GuardedBy("this")
  private boolean finished;

  /** Whether the client's newest event is the final event. */
  @GuardedBy("this")
  private boolean idle;

  /** Whether a request to the model is running, as far as the client has reported. */
  @GuardedBy("this")
  private boolean asking;

  @GuardedBy("this")
  private boolean cutOff;

  /** The model whose price is unknown, or null. */
  @GuardedBy("this")
  private @Nullable String unpriced;

  @GuardedBy("this")
  private long lastWord = System.nanoTime();

  /**
   * Creates an empty record.
   *
   * @param output receives each message and action of the agent once
   * @param entries receives the entries of the iteration's record
   */
  RunRecord(Consumer<String> output, Consumer<RecordEntry> entries) {
    this.output = output;
    this.entries = entries;
  }

  // ---- reports of the client

  /** Records that the client has written any output. */
  synchronized void recordActivity() {
    lastWord = System.nanoTime();
  }

  /** Writes a text to the output. */
  void show(String text) {
    if (!text.isBlank()) {
      output.accept(text.stripTrailing());
    }
  }

  /** Adds an entry to the iteration's record. */
  void put(RecordEntry entry) {
    entries.accept(entry);
  }

  /** Records a text of the agent, as a part of a message or a whole message. */
  synchronized void addText(String message, String text) {
    modelAnswered();
    if (!message.equals(finalMessage)) {
      finalText.setLength(0);
      finalMessage = message;
    }
    finalText.append(finalText.length() == 0 ? "" : "\n").append(text.strip());
  }

  /**
   * Records the start of a tool call.
   *
   * @param id the client's id of the call, repeated at the call's end
   */
  synchronized void calling(String id, String tool, String title) {
    modelAnswered();
    underWay.put(id, new Begun(tool, title, System.nanoTime()));
  }

  /**
   * Records the end of a tool call by its id.
   *
   * @return the call, or empty if its start was not recorded
   */
  synchronized Optional<ToolCall> called(String id, boolean failed) {
    Optional<ToolCall> call =
        Optional.ofNullable(underWay.remove(id))
            .map(begun -> new ToolCall(begun.tool(), begun.title(), failed));
    call.ifPresent(this::called);
    return call;
  }

  /** Records a finished tool call. */
  synchronized void called(ToolCall call) {
    modelAnswered();
    toolCalls.add(call);
  }

  /** Records an answer of the model, also if its content is ignored. */
  synchronized void modelAnswered() {
    answered = true;
    idle = false;
    error = null;
    retries.answered();
  }

  /** Records that the client has reported a successful end. */
  synchronized void finishedWell() {
    modelAnswered();
    finished = true;
    idle = true;
  }

  /** Records that the client has reported the end of its turn as a failure. */
  synchronized void finishedBadly() {
    idle = true;
  }

  /** Records a failure of the model that the client does not retry. */
  synchronized void failed(@Nullable ModelError why) {
    error = why;
  }

  /** Records that the turn has failed and the client must be stopped. */
  synchronized void giveUp(AgentResult why) {
    if (givenUp == null) {
      givenUp = why;
    }
  }

  synchronized void addUsage(Usage more) {
    usage = usage.plus(more);
  }

  synchronized void setUsage(Usage all) {
    usage = all;
  }

  /** Records the start of a request to the model, or its end with all usage reported. */
  synchronized void asking(boolean begun) {
    asking = begun;
    idle = idle && !begun;
  }

  /**
   * Records the stop of the client. Its usage is partly unknown if a request was running or the
   * client had not reported any answer.
   */
  synchronized void cutOff() {
    boolean failing = error != null || retries.last() != null;
    cutOff = (asking || !answered) && !failing;
  }

  /** Returns the usage, and records the model if its price is unknown. */
  synchronized Usage priced(Usage usage, @Nullable String model) {
    if (usage.costUsd() == null && usage.totalTokens() > 0 && model != null) {
      unpriced = model;
    }
    return usage;
  }

  /** Sets the current usage of helpers, such as agents started by this run. */
  synchronized void usedElsewhere(Usage all) {
    usedElsewhere = all;
  }

  /** Clears the messages, calls and usage, because all of them will be recorded again. */
  synchronized void beginAgain() {
    toolCalls.clear();
    underWay.clear();
    finalText.setLength(0);
    finalMessage = "";
    usage = Usage.NONE;
    error = null;
    answered = false;
    asking = false;
  }

  // ---- results

  /** Returns the failures that the client retries. */
  Retries retries() {
    return retries;
  }

  /** Returns the agent's last message as a whole, or an empty string. */
  synchronized String finalText() {
    return finalText.toString();
  }

  /** Returns the finished calls in order. */
  synchronized List<ToolCall> toolCalls() {
    return List.copyOf(toolCalls);
  }

  /**
   * Returns a description of the newest running call with its duration, or empty. The description
   * explains what a stopped client waited for.
   */
  synchronized Optional<String> underWay() {
    return underWay.values().stream()
        .reduce((older, newer) -> newer)
        .map(
            call ->
                "["
                    + call.tool()
                    + "] "
                    + call.title()
                    + " was running for "
                    + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - call.since())
                    + " s");
  }

  /** Returns the usage so far, including the usage of helpers. */
  synchronized Usage usage() {
    Usage all = usage.plus(usedElsewhere);
    return cutOff ? all.plus(Usage.UNKNOWN) : all;
  }

  /** Returns a used model whose price is unknown, or empty. */
  synchronized Optional<String> unpriced() {
    return Optional.ofNullable(unpriced);
  }

  /** Returns the failure of the last request to the model, or null if it succeeded. */
  synchronized @Nullable ModelError error() {
    return error;
  }

  /** Returns whether the model answered. */
  synchronized boolean answered() {
    return answered;
  }

  /** Returns whether the client has reported a successful end. */
  synchronized boolean finished() {
    return finished;
  }

  /** Returns whether the client's newest event is the final event. */
  synchronized boolean isIdle() {
    return idle;
  }

  /** Returns the result for a turn that was given up, or null. */
  synchronized @Nullable AgentResult givenUp() {
    return givenUp;
  }

  /** Returns the time of the client's last output, in the unit of {@link System#nanoTime}. */
  synchronized long lastWord() {
    return lastWord;
  }
}
