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
 * The loops of an application: with the settings {@code ralph.loops.*}, the gates that are beans in
 * their order, and the agent that is a bean. When the application ends, those that run are
 * cancelled and waited for, before the store is closed. Safe for use by many threads.
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

  /** By their session, the loops that run; only changed under the lock of this. */
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

  /** Does what {@link #start(String, Agent, Consumer)} does, with the agent that is a bean. */
  public CompletableFuture<LoopResult> start(String session) {
    Agent agent = agents.getIfUnique();
    if (agent == null) {
      throw RalphException.invalid(
          "there is not one Agent among the beans; make one the primary one, or name the agent of"
              + " the loop");
    }
    return start(session, agent, builder -> {});
  }

  /**
   * Starts a loop, in a thread of its own.
   *
   * @param session the name of the session to work on
   * @param more further settings
   * @return how the loop ends; cancelling it does not end the loop
   * @throws RalphException INVALID if the settings can't work; CONTENDED if the application runs a
   *     loop on the session; CLOSED if it is ending
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
        throw RalphException.contended("a loop of this application works on " + session);
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

  /** Returns the names of the sessions that loops of this application work on. */
  public SortedSet<String> running() {
    return new TreeSet<>(running.keySet());
  }

  /** Cancels the loop on that session, if there is one. It ends soon after. */
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

  /** Cancels the loops that run, and waits for their end. */
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
