package dev.ralph.cli;

import dev.ralph.Loop;
import javax.annotation.Nullable;

/** What the agent is told: the prompt given, else what is piped in, else a template. */
final class Prompt {

  @Nullable private final String own;
  @Nullable private final String template;

  private Prompt(@Nullable String own, @Nullable String template) {
    this.own = own;
    this.template = template;
  }

  static Prompt of(Invocation call) {
    Arguments arguments = call.arguments();
    String given = call.textIfAny("prompt");
    String template = arguments.text("template");
    if (given != null && template != null) {
      throw new UsageException("give --prompt or --template, not both");
    }
    if (given != null && given.isBlank()) {
      throw new UsageException("--prompt must not be empty; leave it out for the template");
    }
    if (given == null && template == null) {
      given = call.pipedPrompt();
    }
    return given == null
        ? new Prompt(null, Templates.find(template, call.environment()))
        : new Prompt(given, null);
  }

  /** Returns whether it is the user's own words rather than a template. */
  boolean isOwn() {
    return own != null;
  }

  void addTo(Loop.Builder builder) {
    if (own != null) {
      builder.prompt(own);
    } else if (template != null) {
      builder.template(template);
    }
  }
}
