package dev.ralph.cli.web;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.web.AccessToken;
import dev.ralph.web.AccessTokens;
import java.util.List;

/** {@code ralph token list}. */
public final class TokenListCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("list the owners of tokens, without the tokens").store();
  }

  @Override
  public void run(Invocation call) {
    List<AccessToken> tokens = AccessTokens.of(call.store().ralph()).list();
    if (call.json()) {
      call.answer("tokens", "tokens", tokens.stream().map(TokenForm::json).toList());
    } else if (tokens.isEmpty()) {
      call.print("No tokens yet");
    } else {
      tokens.forEach(token -> call.print(TokenForm.line(token)));
    }
  }
}
