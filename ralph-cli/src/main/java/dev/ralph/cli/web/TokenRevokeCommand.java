package dev.ralph.cli.web;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.web.AccessTokens;

/** {@code ralph token revoke}. */
public final class TokenRevokeCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("revoke a token").argument("WHO").store();
  }

  @Override
  public void run(Invocation call) {
    String who = call.arguments().requiredArgument(0);
    AccessTokens.of(call.store().ralph()).revoke(who);
    if (call.json()) {
      call.answer("revoked", "name", who);
    } else {
      call.print("Token of " + who + " revoked");
    }
  }
}
