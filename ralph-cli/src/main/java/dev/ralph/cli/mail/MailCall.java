package dev.ralph.cli.mail;

import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.NotYetAvailableException;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.cli.call.UsageException;
import dev.ralph.log.RalphException;
import dev.ralph.mail.Mailbox;
import dev.ralph.mail.Mailboxes;
import dev.ralph.mail.NewMail;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Common methods of the mail commands: the caller's box and the store. */
final class MailCall {

  /** The default lease of a received mail, the same as of a task's claim. */
  private static final Duration LEASE = Duration.ofMinutes(10);

  private static final String PROJECT = "default";

  private MailCall() {}

  /** Adds the options of all mail commands. */
  static CommandSyntax common(CommandSyntax syntax) {
    return syntax
        .value(
            "project",
            "NAME",
            "project of the boxes (default: RALPH_MAIL_PROJECT, or " + PROJECT + ")")
        .value(
            "store",
            "DIR",
            "the store (default: RALPH_STORE, the nearest .ralph/store, or the repository's)")
        .common();
  }

  /** Adds the options of commands on a box. */
  static CommandSyntax own(CommandSyntax syntax) {
    return common(syntax.value("as", "NAME", "your own box (default: RALPH_MAIL_AS)"));
  }

  /** Adds the options of commands on a box that may create the store. */
  static CommandSyntax beginning(CommandSyntax syntax) {
    return own(syntax.create());
  }

  /** Adds the options for the properties of a mail besides its text. */
  static CommandSyntax envelope(CommandSyntax syntax) {
    return syntax
        .value("headline", "TEXT", "the subject, in one line")
        .value("type", "WORD", "the type of the mail, a word of your choice")
        .value("priority", "WORD", "high, normal (default) or low; high is received first")
        .values("tag", "WORD", "a tag; repeatable")
        .value("deadline", "WHEN", "expiry: 30m from now, or a time (ISO-8601)")
        .value("key", "KEY", "send only once: returns the mail sent with this key before");
  }

  /** Adds the option that limits a wait. */
  static CommandSyntax waiting(CommandSyntax syntax, String description) {
    return syntax.value("wait", "TIME", description);
  }

  /** Adds the option for the lease of a mail. */
  static CommandSyntax lease(CommandSyntax syntax) {
    return syntax.value("lease", "TIME", "how long the mail stays reserved for you (default: 10m)");
  }

  /** Returns the boxes of an existing store. */
  static Mailboxes boxes(Invocation call) {
    call.stores().share();
    return boxes(call, call.store());
  }

  /**
   * Returns the boxes, and creates a missing store. If the caller gave the store's address,
   * creation requires {@code --create}.
   */
  static Mailboxes boxesToBegin(Invocation call) {
    call.stores().share();
    return boxes(call, call.stores().openToBegin());
  }

  private static Mailboxes boxes(Invocation call, StoreAccess store) {
    String project = given(call, "project", "RALPH_MAIL_PROJECT");
    return Mailboxes.of(store.ralph(), project == null ? PROJECT : project);
  }

  /** Returns the caller's box. */
  static Mailbox box(Invocation call, Mailboxes boxes) {
    return boxes.box(owner(call));
  }

  /**
   * Returns the name of the caller's box.
   *
   * @throws UsageException if neither the option nor the variable names a box
   */
  static String owner(Invocation call) {
    String name = ownerIfAny(call);
    if (name == null) {
      throw new UsageException("--as is required: name your own box (or set RALPH_MAIL_AS)");
    }
    return name;
  }

  static @Nullable String ownerIfAny(Invocation call) {
    return given(call, "as", "RALPH_MAIL_AS");
  }

  private static @Nullable String given(Invocation call, String option, String variable) {
    String value = call.arguments().text(option);
    return value == null ? call.environment().variable(variable) : value;
  }

  /** Returns the lease of a mail. */
  static Duration lease(Invocation call) {
    return call.arguments().duration("lease", LEASE);
  }

  /** Returns the time to wait, zero by default. */
  static Duration patience(Invocation call) {
    return call.arguments().duration("wait", Duration.ZERO);
  }

  /**
   * Creates a mail with the properties of the options.
   *
   * @throws UsageException if the text is blank
   */
  static NewMail mail(Invocation call, String text) {
    if (text.isBlank()) {
      throw new UsageException("a mail needs text; give the text, or pipe it in");
    }
    String headline = call.arguments().text("headline");
    return NewMail.of(text)
        .headline(headline == null ? null : call.kept(headline))
        .type(call.arguments().text("type"))
        .priority(call.arguments().priority("priority"))
        .tags(call.arguments().values("tag"))
        .deadline(call.arguments().deadline("deadline"))
        .key(call.arguments().text("key"));
  }

  /** Returns the recipients: the first argument, then the values of {@code --also}. */
  static List<String> recipients(Invocation call) {
    List<String> to = new ArrayList<>();
    to.add(call.arguments().requiredArgument(0));
    to.addAll(call.arguments().values("also"));
    return to;
  }

  /** Returns the failure of a call without mail. */
  static NotYetAvailableException none(String what, Duration waited) {
    return new NotYetAvailableException(
        waited.isZero() ? what + "; use --wait to wait" : what + " within this time");
  }

  /** Returns the failure of an interrupted wait, and restores the interrupt status. */
  static RalphException interrupted() {
    Thread.currentThread().interrupt();
    return RalphException.closed("the wait for mail");
  }
}
