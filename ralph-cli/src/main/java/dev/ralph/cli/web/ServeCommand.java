package dev.ralph.cli.web;

import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.terminal.ProcessEnd;
import dev.ralph.log.RalphException;
import dev.ralph.web.RalphServer;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code ralph serve}: serves the page and the sessions' tools over HTTP until a signal arrives.
 */
public final class ServeCommand implements Command {

  /** Matches IP addresses only, because a name may resolve to any address. */
  private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

  private static final String OPERATOR = "operator";

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("serve a web page of the sessions, and their tools over HTTP")
        .value("port", "N", "the port to listen on (default: a free port)")
        .value("bind", "ADDRESS", "the address to listen on (default: 127.0.0.1)")
        .flag("insecure", "permit a public address without TLS")
        .values(
            "host", "NAME", "an additional host name of the server, such as a proxy's; repeatable")
        .flag("read-only", "print a read-only link")
        .create()
        .store();
  }

  @Override
  public void run(Invocation call) {
    Arguments arguments = call.arguments();
    InetAddress address = address(arguments);
    // Otherwise each response waits until the client acknowledges the previous part.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    RalphServer.Builder builder =
        RalphServer.builder(call.store().ralph())
            .port(arguments.number("port", 0, 0, 65_535))
            .repository(call.environment().directory())
            .names(arguments.values("host").toArray(String[]::new));
    if (address != null) {
      builder.bind(address);
    }
    RalphServer server = builder.build();
    Thread hook = new Thread(server::close, "ralph-signal");
    try (server) {
      server.start();
      Runtime.getRuntime().addShutdownHook(hook);
      boolean readOnly = arguments.has("read-only");
      printAddresses(call, link(server, readOnly));
      if (call.environment().isTypedIn()) {
        EnterKey.listen(call.environment().in(), () -> print(call, link(server, readOnly)));
      }
      ProcessEnd.await();
    } catch (IllegalStateException alreadyEnding) {
      ProcessEnd.await();
    }
  }

  private static URI link(RalphServer server, boolean readOnly) {
    return readOnly ? server.readOnlyLink(OPERATOR) : server.link(OPERATOR);
  }

  private static void printAddresses(Invocation call, URI link) {
    print(call, link);
    if (!call.json()) {
      String another = call.environment().isTypedIn() ? "; press Enter for a new link" : "";
      call.warn("the link works once" + another);
      call.warn(
          "tools for agents: "
              + mcp(link)
              + ", with a token of ralph token add; press Ctrl+C to stop");
    }
  }

  private static void print(Invocation call, URI link) {
    call.print(
        call.json()
            ? Json.of("serving").with("link", link.toString()).with("mcp", mcp(link)).json()
            : link.toString());
    call.environment().out().flush();
  }

  private static String mcp(URI link) {
    return link.resolve("/mcp").toString();
  }

  /** Returns the address to listen on, or null if the option is missing. */
  private static @Nullable InetAddress address(Arguments arguments) {
    String given = arguments.text("bind");
    if (given == null) {
      return null;
    }
    InetAddress address = parsed(given);
    if (!address.isLoopbackAddress() && !arguments.has("insecure")) {
      throw new UsageException(
          "the address "
              + given
              + " is public, and without TLS the network can read the tokens; omit --bind and use a"
              + " proxy with TLS, or add"
              + " --insecure");
    }
    return address;
  }

  private static InetAddress parsed(String given) {
    if (ADDRESS.matcher(given).matches()) {
      try {
        return InetAddress.getByName(given);
      } catch (UnknownHostException e) {
        // the text only resembles an address
      }
    }
    throw new UsageException(
        "--bind takes an address such as 127.0.0.1 or 0.0.0.0, not " + RalphException.quote(given));
  }
}
