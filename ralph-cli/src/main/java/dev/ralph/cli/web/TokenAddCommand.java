package dev.ralph.cli.web;

import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;
import dev.ralph.cli.call.UsageException;
import dev.ralph.web.AccessTokens;

/** {@code ralph token add}. */
public final class TokenAddCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("make a token that lets somebody in to ralph serve, and print it once")
        .argument("WHO")
        .value("n", "name", "NAME", "for an agent: the session whose tools it may call")
        .flag("read-only", "for a person who may only look")
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
      throw new UsageException("an agent does not only look: give -n or --read-only");
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
