package dev.ralph.cli.project;

import dev.ralph.Gate;
import dev.ralph.Ralph;
import dev.ralph.ToolSettings;
import dev.ralph.agents.McpServerCommand;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Environment;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.loop.AgentChoice;
import dev.ralph.core.internal.engine.CoreEngine;
import dev.ralph.log.RalphException;
import dev.ralph.mail.MailTools;
import dev.ralph.mcp.SessionServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** {@code ralph mcp}: serves sessions to an agent over standard input and output. */
public final class McpCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of(
            "serve the tools of a session to an agent over the Model Context Protocol")
        .value("n", "name", "NAME", "the session (default: RALPH_SESSION, else named in each call)")
        .value("iteration", "N", "the iteration of the agent (default: read from the log)")
        .flag("in-loop", "the agent was started by a loop; the server ends with the iteration")
        .values(
            "gate", "COMMAND", "a command that must succeed before session_complete; repeatable")
        .value(
            "lease",
            "TIME",
            "how long delivered messages stay reserved for this agent (default: 10m)")
        .value("mail", "PROJECT/BOX", "serve this mailbox with two additional tools")
        .create()
        .store();
  }

  @Override
  public void run(Invocation call) {
    Arguments arguments = call.arguments();
    Duration lease = arguments.duration("lease");
    int iteration = arguments.number("iteration", 0, 1, Integer.MAX_VALUE);
    boolean isInLoop = arguments.has("in-loop") || iteration > 0;
    int agent = isInLoop ? call.agent() : 0;
    String box = arguments.text("mail");
    if (box == null && agent > 0 && call.namesASession()) {
      box = call.sessionName() + "/agent-" + agent; // for mail of the other agents of the session
    }
    MailTools mail = mail(box, lease);
    if (mail != null) {
      call.stores().share();
    }
    // A wrong address must end the command here; the store itself opens in the background.
    call.stores().address();
    ToolSettings tools =
        ToolSettings.STANDARD.iteration(iteration).directory(call.environment().directory());
    if (isInLoop) {
      tools = tools.inLoop().agent(agent);
    }
    for (Gate.Command gate : AgentChoice.gates(arguments)) {
      tools = tools.gate(gate);
    }
    if (lease != null) {
      tools = tools.messageLease(lease);
    }
    SessionServer.Builder builder =
        SessionServer.over(() -> open(call, mail != null))
            .engine(new CoreEngine())
            .tools(tools)
            .onConnected(() -> signalConnected(call));
    if (mail != null) {
      builder.more(mail);
    }
    if (call.namesASession()) {
      builder.session(call.sessionName());
    }
    serve(call.environment(), builder.build());
  }

  private static @Nullable MailTools mail(@Nullable String address, @Nullable Duration lease) {
    if (address == null) {
      return null;
    }
    int slash = address.indexOf('/');
    if (slash <= 0 || slash == address.length() - 1) {
      throw new UsageException(
          "--mail takes a project and a box, such as shop/ann, not "
              + RalphException.quote(address));
    }
    try {
      return new MailTools(
          address.substring(0, slash),
          address.substring(slash + 1),
          lease == null ? ToolSettings.STANDARD.messageLease() : lease);
    } catch (RalphException e) {
      throw new UsageException(
          "--mail cannot be " + RalphException.quote(address) + ": " + e.getMessage());
    }
  }

  /**
   * Opens the store, and reports a new session in the client's log, because its name may be
   * misspelled.
   *
   * @param begins whether to create a missing store if the caller did not give its address
   */
  private static Ralph open(Invocation call, boolean begins) {
    Ralph ralph = (begins ? call.stores().openToBegin() : call.store()).ralph();
    if (call.namesASession()) {
      call.noteIfNew(call.sessionName());
    }
    call.reportCreation();
    return ralph;
  }

  /** Creates the file that signals to the client's starter that the tools are connected. */
  private static void signalConnected(Invocation call) {
    String file = call.environment().variable(McpServerCommand.READY_FILE);
    if (file == null) {
      return;
    }
    try {
      Files.write(Path.of(file), new byte[0]);
    } catch (IOException | InvalidPathException e) {
      call.warn(file + " cannot be created: " + e.getMessage());
    }
  }

  /** Serves until the client or a signal ends the connection. */
  private static void serve(Environment environment, SessionServer server) {
    Thread hook = new Thread(server::close, "ralph-signal");
    boolean watched = watch(hook);
    try (server) {
      server.serve(environment.in(), environment.out().raw());
    } finally {
      if (watched) {
        unwatch(hook);
      }
    }
  }

  private static boolean watch(Thread hook) {
    try {
      Runtime.getRuntime().addShutdownHook(hook);
      return true;
    } catch (IllegalStateException alreadyEnding) {
      return false;
    }
  }

  private static void unwatch(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException alreadyEnding) {
      // the shutdown itself ended the serving
    }
  }
}
