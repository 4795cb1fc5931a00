package dev.ralph.cli.tx;

import dev.ralph.Ralph;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.terminal.OutputException;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.log.RalphException;
import dev.ralph.tx.Tx;
import dev.ralph.tx.TxAddress;
import dev.ralph.tx.TxConsumer;
import dev.ralph.tx.TxEvent;
import dev.ralph.tx.TxFolder;
import dev.ralph.tx.TxSink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** {@code ralph tx deliver}. */
public final class TxDeliverCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    CommandSyntax syntax =
        CommandSyntax.of("deliver TX messages to their agents until interrupted")
            .values("to", "ADDRESS", "deliver only to this agent (default: all agents); repeatable")
            .flag("tmux", "deliver into tmux sessions (default)")
            .value("command", "COMMAND", "deliver to the standard input of a command")
            .flag("dry-run", "print the pending deliveries and end");
    return TxCall.beginning(syntax);
  }

  @Override
  public void run(Invocation call) {
    List<TxAddress> only =
        call.arguments().values("to").stream().map(to -> TxCall.address("--to", to)).toList();
    String given = call.arguments().text("command");
    TxSink command = given == null ? null : sink(given);
    if (command != null && call.arguments().has("tmux")) {
      throw new UsageException("give either --command or --tmux, not both");
    }
    if (call.arguments().has("dry-run")) {
      Tx.of(TxCall.storeIfAny(call), TxCall.folder(call))
          .preview()
          .forEach(event -> print(call, event));
      return;
    }
    TxFolder folder = TxCall.folderToBegin(call);
    Ralph ralph = TxCall.storeToBegin(call);
    call.reportCreation();
    try (Delivery delivery = new Delivery(call, ralph, folder, only, command)) {
      delivery.run();
    }
  }

  private static TxSink sink(String command) {
    try {
      return TxSink.command(CommandLineWords.split(command));
    } catch (IllegalArgumentException | RalphException e) {
      throw new UsageException("--command: " + e.getMessage());
    }
  }

  private static synchronized void print(Invocation call, TxEvent event) {
    call.print(call.json() ? TxForm.json(event) : TxForm.line(event));
    call.environment().out().flush();
  }

  /** The deliveries of a running command. */
  private static final class Delivery implements AutoCloseable {

    /** The time to wait for a new agent before the next check whether the command has ended. */
    private static final Duration POLL_INTERVAL = Duration.ofMinutes(1);

    private final Invocation call;
    private final Tx tx;
    private final List<TxAddress> only;
    private final @Nullable TxSink command;
    private final @Nullable Path socket;
    private final CountDownLatch end = new CountDownLatch(1);
    private final Thread hook = new Thread(this::close, "ralph-signal");

    // guarded by this:
    private final Map<TxAddress, TxConsumer> consumers = new HashMap<>();
    private final Map<String, TxAddress> sessions = new HashMap<>();
    private boolean closed;

    Delivery(
        Invocation call,
        Ralph ralph,
        TxFolder folder,
        List<TxAddress> only,
        @Nullable TxSink command) {
      this.call = call;
      this.only = only;
      this.command = command;
      this.socket = socket(call);
      this.tx = Tx.of(ralph, folder, this::happened);
    }

    /**
     * Returns the socket of the current tmux server, which is the first part of the variable; null
     * outside tmux.
     */
    private static @Nullable Path socket(Invocation call) {
      String tmux = call.environment().variable("TMUX");
      if (tmux == null || tmux.indexOf(',') <= 0) {
        return null;
      }
      return call.environment().path(tmux.substring(0, tmux.indexOf(',')));
    }

    void run() {
      Runtime.getRuntime().addShutdownHook(hook);
      for (TxAddress agent : only) {
        if (!begin(agent)) {
          throw new UsageException(
              agent
                  + " shares the tmux session of another agent; run one ralph tx deliver for each");
        }
      }
      try {
        tx.takeUp();
        beginWithAll();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        forgetHook();
      }
    }

    /**
     * Starts the delivery to each agent after any process has taken up a message for the agent.
     * With given agents only, the loop just checks that the store is still available.
     */
    private void beginWithAll() throws InterruptedException {
      Set<TxAddress> known = new HashSet<>();
      while (end.getCount() > 0) {
        for (TxAddress agent : tx.newAgents(known, POLL_INTERVAL)) {
          known.add(agent);
          if (only.isEmpty() && !begin(agent)) {
            call.warn(
                agent
                    + " shares the tmux session of another agent; its messages wait. Choose the"
                    + " agent with --to");
          }
        }
      }
    }

    private void forgetHook() {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException ending) {
        // the shutdown itself ends the command
      }
    }

    private void happened(TxEvent event) {
      try {
        print(call, event);
      } catch (OutputException nobodyReads) {
        // The delivery continues without output.
      }
    }

    /** Starts the delivery to an agent. Returns false if another agent uses the same session. */
    private synchronized boolean begin(TxAddress agent) {
      if (closed || consumers.containsKey(agent)) {
        return true;
      }
      TxSink sink = command;
      if (sink == null) {
        TxAddress other = sessions.putIfAbsent(agent.session(), agent);
        if (other != null && !other.equals(agent)) {
          return false;
        }
        sink = TxSink.tmux(agent, socket);
      }
      consumers.put(agent, tx.deliver(agent, sink));
      return true;
    }

    @Override
    public void close() {
      List<TxConsumer> ending;
      synchronized (this) {
        closed = true;
        ending = new ArrayList<>(consumers.values());
        consumers.clear();
      }
      ending.forEach(TxConsumer::close);
      tx.close();
      end.countDown();
    }
  }
}
