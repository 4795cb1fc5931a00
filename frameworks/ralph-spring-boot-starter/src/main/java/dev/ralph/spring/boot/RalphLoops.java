package dev.ralph.spring.boot;

import dev.ralph.Agent;
import dev.ralph.Gate;
import dev.ralph.Loop;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.log.RalphException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * The loops of an application. Each loop uses the settings {@code ralph.loops.*}, the gate beans in
 * their order and the agent bean. When the application stops, running loops are cancelled and end
 * before the store is closed. Thread-safe.
 *
 * <pre>{@code
 * ralph.session("work").tasks().add("Write the login form");
 * loops.start("work").thenAccept(result -> log.info("{}", result));
 * }</pre>
 */
public final class RalphLoops implements SmartLifecycle {

  private final Ralph ralph;
  private final RalphProperties.Loops settings;
  private final ObjectProvider<Agent> agents;
  private final ObjectProvider<Gate> gates;
  private final ObjectProvider<LoopCustomizer> customizers;
  private final @Nullable Executor threads;

  /** The running loops by session; changes are guarded by this object's lock. */
  private final Map<String, Running> running = new ConcurrentHashMap<>();

  private boolean open;

  private record Running(Loop loop, CompletableFuture<LoopResult> end) {}

  RalphLoops(
      Ralph ralph,
      RalphProperties.Loops settings,
      ObjectProvider<Agent> agents,
      ObjectProvider<Gate> gates,
      ObjectProvider<LoopCustomizer> customizers,
      @Nullable Executor threads) {
    this.ralph = ralph;
    this.settings = settings;
    this.agents = agents;
    this.gates = gates;
    this.customizers = customizers;
    this.threads = threads;
  }

  /**
   * Starts a loop as {@link #start(String, Agent, Consumer)} does, with the agent bean.
   *
   * @throws RalphException INVALID if there is no unique agent bean
   */
  public CompletableFuture<LoopResult> start(String session) {
    Agent agent = agents.getIfUnique();
    if (agent == null) {
      throw RalphException.invalid(
          "the application has no unique Agent bean; mark a bean as @Primary or pass an agent to"
              + " start()");
    }
    return start(session, agent, builder -> {});
  }

  /**
   * Starts a loop in its own thread.
   *
   * @param session the name of the session
   * @param agent the agent
   * @param more sets further options
   * @return completes with the loop's result, or with its exception; cancelling the future does not
   *     end the loop
   * @throws RalphException INVALID if the settings are not valid; CONTENDED if the application
   *     already runs a loop on the session; CLOSED if the application is stopping
   */
  public CompletableFuture<LoopResult> start(
      String session, Agent agent, Consumer<Loop.Builder> more) {
    Objects.requireNonNull(agent, "agent");
    Objects.requireNonNull(more, "more");
    List<LoopCustomizer> customizing = customizers.orderedStream().toList();
    Agent worker = agent;
    for (LoopCustomizer each : customizing) {
      worker = each.agent(worker);
    }
    Loop.Builder builder = ralph.session(session).loop(worker);
    set(settings.directory(), builder::directory);
    set(settings.maxIterations(), builder::maxIterations);
    set(settings.timeLimit(), builder::timeLimit);
    set(settings.iterationTimeLimit(), builder::iterationTimeLimit);
    set(settings.maxCost(), builder::maxCost);
    set(settings.maxTokens(), builder::maxTokens);
    set(settings.grace(), builder::grace);
    set(threads, builder::executor);
    gates.orderedStream().forEach(builder::gate);
    customizing.forEach(each -> each.customize(session, builder));
    more.accept(builder);
    CompletableFuture<LoopResult> end = new CompletableFuture<>();
    Loop loop;
    synchronized (this) {
      if (!open) {
        throw RalphException.closed("the application");
      }
      if (running.containsKey(session)) {
        throw RalphException.contended("the application already runs a loop on " + session);
      }
      loop = builder.build();
      running.put(session, new Running(loop, end));
    }
    Runnable work = () -> run(session, loop, end);
    if (threads == null) {
      Thread thread = new Thread(work, "ralph-loop-" + session);
      thread.setDaemon(true);
      thread.start();
    } else {
      try {
        threads.execute(work);
      } catch (RejectedExecutionException e) {
        running.remove(session);
        loop.close();
        throw e;
      }
    }
    return end;
  }

  private static <T> void set(@Nullable T value, Consumer<T> setting) {
    if (value != null) {
      setting.accept(value);
    }
  }

  private void run(String session, Loop loop, CompletableFuture<LoopResult> end) {
    LoopResult result = null;
    Throwable failure = null;
    try (loop) {
      result = loop.run();
    } catch (RuntimeException | Error e) {
      failure = e;
    }
    running.remove(session);
    if (failure == null) {
      end.complete(result);
    } else {
      end.completeExceptionally(failure);
    }
  }

  /** Returns the names of the sessions with running loops of this application. */
  public SortedSet<String> running() {
    return new TreeSet<>(running.keySet());
  }

  /** Cancels the loop on a session, if one is running, and returns without waiting for its end. */
  public void cancel(String session, String reason) {
    Running loop = running.get(session);
    if (loop != null) {
      loop.loop.cancel(reason);
    }
  }

  @Override
  public synchronized void start() {
    open = true;
  }

  /** Cancels the running loops and waits for their end. */
  @Override
  public void stop() {
    List<Running> ending;
    synchronized (this) {
      open = false;
      ending = List.copyOf(running.values());
    }
    ending.forEach(each -> each.loop.cancel("the application is ending"));
    for (Running each : ending) {
      each.end.handle((result, failure) -> true).join();
    }
  }

  @Override
  public synchronized boolean isRunning() {
    return open;
  }
}
