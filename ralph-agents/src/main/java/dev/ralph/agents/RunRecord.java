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
 * What one run of a client did, as far as it has told: what the agent said, the tools it called,
 * what it used, how it failed. Each client's events are read by a class of their own, which writes
 * it down here.
 *
 * <p>Safe for several threads.
 */
final class RunRecord {

  /** A call of a tool that has ended. */
  record ToolCall(String tool, String title, boolean failed) {}

  /**
   * A call of a tool that has not ended.
   *
   * @param since when it began, on the clock of {@link System#nanoTime}
   */
  private record Begun(String tool, String title, long since) {}

  private final Consumer<String> output;
  private final Consumer<RecordEntry> entries;
  private final Retries retries = new Retries();

  @GuardedBy("this")
  private final List<ToolCall> toolCalls = new ArrayList<>();

  /** The calls that have not ended, by the client's id for each, the newest last. */
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

  /** Whether nothing came after the client said that it came to a good end. */
  @GuardedBy("this")
  private boolean idle;

  /** Whether a request to the model is under way, as far as was told. */
  @GuardedBy("this")
  private boolean asking;

  @GuardedBy("this")
  private boolean cutOff;

  /** The model whose price is not known, or null. */
  @GuardedBy("this")
  private @Nullable String unpriced;

  @GuardedBy("this")
  private long lastWord = System.nanoTime();

  /**
   * @param output receives what the agent says and does, each thing once
   * @param entries receives it for the iteration's record
   */
  RunRecord(Consumer<String> output, Consumer<RecordEntry> entries) {
    this.output = output;
    this.entries = entries;
  }

  // ---- what is told

  /** The client gave a sign of life, whatever it was. */
  synchronized void heard() {
    lastWord = System.nanoTime();
  }

  /** Hands something to the output. */
  void show(String text) {
    if (!text.isBlank()) {
      output.accept(text.stripTrailing());
    }
  }

  /** Hands something to the iteration's record. */
  void put(RecordEntry entry) {
    entries.accept(entry);
  }

  /** The agent said something, as a part of that message or as the whole of it. */
  synchronized void said(String message, String text) {
    modelAnswered();
    if (!message.equals(finalMessage)) {
      finalText.setLength(0);
      finalMessage = message;
    }
    finalText.append(finalText.length() == 0 ? "" : "\n").append(text.strip());
  }

  /**
   * A call of a tool has begun.
   *
   * @param id the client's own, by which the end of the call is told
   */
  synchronized void calling(String id, String tool, String title) {
    modelAnswered();
    underWay.put(id, new Begun(tool, title, System.nanoTime()));
  }

  /**
   * A call of a tool has ended whose begin was told.
   *
   * @return that call, or empty if its begin was not told
   */
  synchronized Optional<ToolCall> called(String id, boolean failed) {
    Optional<ToolCall> call =
        Optional.ofNullable(underWay.remove(id))
            .map(begun -> new ToolCall(begun.tool(), begun.title(), failed));
    call.ifPresent(this::called);
    return call;
  }

  /** A call of a tool has ended. */
  synchronized void called(ToolCall call) {
    modelAnswered();
    toolCalls.add(call);
  }

  /** The model answered, be it by something that is of no concern here. */
  synchronized void modelAnswered() {
    answered = true;
    idle = false;
    error = null;
    retries.answered();
  }

  /** The client says itself that it has come to an end, and that it is a good one. */
  synchronized void finishedWell() {
    modelAnswered();
    finished = true;
    idle = true;
  }

  /** The model failed, and the client does not ask it again. */
  synchronized void failed(@Nullable ModelError why) {
    error = why;
  }

  /** There is no use in letting the client go on. */
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

  /** A request to the model has begun, or has come to its end with all that it used told. */
  synchronized void asking(boolean begun) {
    asking = begun;
    idle = idle && !begun;
  }

  /**
   * The client was ended. If it was asking its model, or had not said anything yet, nobody knows
   * what it used besides what it told.
   */
  synchronized void cutOff() {
    boolean failing = error != null || retries.last() != null;
    cutOff = (asking || !answered) && !failing;
  }

  /** Returns what was used of a model, and takes note of the model if its price is not known. */
  synchronized Usage priced(Usage usage, @Nullable String model) {
    if (usage.costUsd() == null && usage.totalTokens() > 0 && model != null) {
      unpriced = model;
    }
    return usage;
  }

  /** Others have used that much on behalf of this run so far, such as agents that it started. */
  synchronized void usedElsewhere(Usage all) {
    usedElsewhere = all;
  }

  /** Forgets what the agent said and did, since all of it will be told again. */
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

  // ---- what came of it

  /** The failures that the client tries to get over by itself. */
  Retries retries() {
    return retries;
  }

  /** What the agent said last, all of that message; empty if it said nothing. */
  synchronized String finalText() {
    return finalText.toString();
  }

  /** The calls that have ended, in order. */
  synchronized List<ToolCall> toolCalls() {
    return List.copyOf(toolCalls);
  }

  /**
   * The newest call of a tool that has not ended, and for how long, in words for people: it tells
   * what a client waited for that was ended. Empty if there is none.
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
                    + " had run for "
                    + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - call.since())
                    + " s");
  }

  /** What was used so far, by others on behalf of this run too. */
  synchronized Usage usage() {
    Usage all = usage.plus(usedElsewhere);
    return cutOff ? all.plus(Usage.UNKNOWN) : all;
  }

  /** A model that was used and whose price is not known; empty if there is none. */
  synchronized Optional<String> unpriced() {
    return Optional.ofNullable(unpriced);
  }

  /** How the last request to the model failed, or null if it did not. */
  synchronized @Nullable ModelError error() {
    return error;
  }

  /** Whether the model said or did anything. */
  synchronized boolean answered() {
    return answered;
  }

  /** Whether the client has said that it came to a good end. */
  synchronized boolean finished() {
    return finished;
  }

  /** Returns whether the client has said that it came to a good end, and did nothing after it. */
  synchronized boolean isIdle() {
    return idle;
  }

  /** Why it was given up, or null if it was not. */
  synchronized @Nullable AgentResult givenUp() {
    return givenUp;
  }

  /** Since when the client has been silent, on the clock of {@link System#nanoTime}. */
  synchronized long lastWord() {
    return lastWord;
  }
}
