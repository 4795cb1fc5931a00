package dev.ralph.cli.web;

import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.UsageException;
import dev.ralph.web.AccessTokens;

/** {@code ralph token add}. */
public final class TokenAddCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("create an access token for ralph serve and print it once")
        .argument("WHO")
        .value("n", "name", "NAME", "for an agent: the session whose tools may be called")
        .flag("read-only", "create a read-only token for a person")
        .create()
        .store();
  }

  @Override
  public void run(Invocation call) {
    Arguments arguments = call.arguments();
    String who = arguments.requiredArgument(0);
    String session = arguments.text("name");
    boolean readOnly = arguments.has("read-only");
    if (session != null && readOnly) {
      throw new UsageException(
          "a token for an agent cannot be read-only; give either -n or --read-only");
    }
    AccessTokens tokens = AccessTokens.of(call.store().ralph());
    String token =
        session == null ? tokens.addPerson(who, readOnly) : tokens.addAgent(who, session);
    if (call.json()) {
      call.answer("token", "token", token);
    } else {
      call.print(token);
    }
  }
}
