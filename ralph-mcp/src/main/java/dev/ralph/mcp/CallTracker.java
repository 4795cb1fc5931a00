package dev.ralph.mcp;

import dev.ralph.tool.ToolCall;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Knows of each call whether it can have followed the reply to another one: it can if that reply
 * was written before the call was read.
 *
 * <p>Safe for use by many threads.
 */
final class CallTracker {

  /** More replies than ever wait to be confirmed; beyond it a message would come twice. */
  private static final int MOST_REMEMBERED = 1_000;

  private final String reader;
  private final AtomicLong calls = new AtomicLong();

  /** The calls that are under way, by the id of the client's request. */
  private final Map<Object, ToolCall> underWay = new ConcurrentHashMap<>();

  /** The requests whose calls were cancelled and have not ended. */
  private final Set<Object> cancelled = ConcurrentHashMap.newKeySet();

  /** The calls under way that were shown messages, by their own id. */
  private final Set<String> showing = ConcurrentHashMap.newKeySet();

  /** The calls whose replies, with messages in them, were written. Replaced, never changed. */
  private volatile Set<String> answered = Set.of();

  /**
   * @param reader what the agent at the other end is called
   */
  CallTracker(String reader) {
    this.reader = reader;
  }

  /** Returns the call that begins with a request that was read just now. */
  ToolCall begin(Object request) {
    ToolCall call = new ToolCall(reader, Long.toString(calls.incrementAndGet()), answered);
    underWay.put(request, call);
    return call;
  }

  /** Says that the reply to the call will show messages. */
  void shows(ToolCall call) {
    showing.add(call.id());
  }

  /**
   * Says that the client waits no more for the reply, so that whatever is in it is not seen.
   *
   * @return whether that call was under way
   */
  boolean cancelled(Object request) {
    return underWay.remove(request) != null && cancelled.add(request);
  }

  /** Returns whether the client waits no more for the reply to a call. */
  boolean isCancelled(Object request) {
    return cancelled.contains(request);
  }

  /** Says that a call has ended, whether it was answered or not. */
  void ended(Object request) {
    cancelled.remove(request);
  }

  /** Says that the reply to a request was written. */
  void written(Object request) {
    ToolCall call = underWay.remove(request);
    if (call != null && showing.remove(call.id())) {
      remember(call.id());
    }
  }

  private synchronized void remember(String call) {
    LinkedHashSet<String> more = new LinkedHashSet<>(answered);
    more.add(call);
    if (more.size() > MOST_REMEMBERED) {
      more.remove(more.iterator().next());
    }
    answered = more;
  }
}
