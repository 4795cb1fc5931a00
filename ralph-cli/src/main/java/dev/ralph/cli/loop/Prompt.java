package dev.ralph.cli.loop;

import dev.ralph.Loop;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.UsageException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The prompt for the agent: the given prompt, else standard input, else a template. With a named
 * template, standard input becomes the text of its {@code {{extra}}}.
 */
final class Prompt {

  private final @Nullable String own;
  private final @Nullable Path template;
  private final @Nullable String extra;
  private final boolean more;

  private Prompt(
      @Nullable String own, @Nullable Path template, @Nullable String extra, boolean more) {
    this.own = own;
    this.template = template;
    this.extra = extra;
    this.more = more;
  }

  static Prompt of(Invocation call) {
    String given = call.textIfAny("prompt");
    String template = call.arguments().text("template");
    String extra = call.textIfAny("extra");
    if (given != null && template != null) {
      throw new UsageException("give --prompt or --template, not both");
    }
    if (given != null && given.isBlank()) {
      throw new UsageException("--prompt must not be empty; omit it to use the template");
    }
    String piped = given == null ? call.pipedPrompt() : null;
    if (given != null && call.hasUnreadPipe()) {
      call.warn("standard input is ignored because --prompt is given");
    }
    if (template != null) {
      return new Prompt(null, Templates.find(template, call), joined(extra, piped), true);
    }
    String own = given == null ? piped : given;
    return own == null
        ? new Prompt(null, Templates.find(null, call), extra, extra != null)
        : new Prompt(own, null, extra, extra != null);
  }

  /**
   * Returns the additions for a change, which has a separate template.
   *
   * @throws UsageException if the call has a prompt
   */
  static Prompt ofChange(Invocation call) {
    if (call.arguments().has("prompt")) {
      throw new UsageException(
          "--change has its own prompt; add text by --extra, or give --template");
    }
    String template = call.arguments().text("template");
    String extra = joined(call.textIfAny("extra"), call.pipedPrompt());
    return new Prompt(
        null,
        template == null ? null : Templates.find(template, call),
        extra,
        template != null || extra != null);
  }

  private static @Nullable String joined(@Nullable String extra, @Nullable String piped) {
    return extra == null || piped == null
        ? (extra == null ? piped : extra)
        : extra + "\n\n" + piped;
  }

  /** Returns whether the prompt is the user's text rather than a template. */
  boolean isOwn() {
    return own != null;
  }

  /** Returns the user's text, or null for a template. */
  @Nullable String own() {
    return own;
  }

  /** Returns whether the call adds a text or a template that an agent has to read. */
  boolean saysMore() {
    return more;
  }

  void addTo(Loop.Builder builder) {
    if (own != null) {
      builder.prompt(own);
    } else if (template != null) {
      builder.template(template);
    }
    if (extra != null) {
      builder.extra(extra);
    }
  }
}
