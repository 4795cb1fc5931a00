package dev.ralph.cli.web;

import dev.ralph.log.Meta;
import dev.ralph.web.AccessToken;
import java.util.Locale;

/** Renders the properties of tokens as text and JSON. */
final class TokenForm {

  private TokenForm() {}

  static Meta json(AccessToken token) {
    return Meta.of("name", token.name())
        .with("rights", word(token))
        .with("session", token.session())
        .with("since", token.since().toString());
  }

  static String line(AccessToken token) {
    return token.name()
        + ": "
        + switch (token.rights()) {
          case ALL -> "everything";
          case LOOK -> "read-only";
          case AGENT -> "agent of session " + token.session();
        }
        + ", since "
        + token.since();
  }

  private static String word(AccessToken token) {
    return token.rights().name().toLowerCase(Locale.ROOT);
  }
}
