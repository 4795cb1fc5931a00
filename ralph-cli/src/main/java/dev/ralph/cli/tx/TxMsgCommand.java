package dev.ralph.cli.tx;

import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.text.Durations;
import dev.ralph.cli.text.Times;
import dev.ralph.log.RalphException;
import dev.ralph.tx.TxFilter;
import dev.ralph.tx.TxFolder;
import dev.ralph.tx.TxFollower;
import dev.ralph.tx.TxListed;
import dev.ralph.tx.TxView;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code ralph tx msg}. */
public final class TxMsgCommand implements Command {

  /** The default limit, which fits a screen. */
  private static final int LIMIT = 20;

  private static final Duration FOR_EVER = Duration.ofDays(100 * 365);

  @Override
  public CommandSyntax syntax() {
    return TxCall.files(
        CommandSyntax.of("list the newest TX messages without delivering")
            .value("limit", "N", "number of messages (default: " + LIMIT + ")")
            .value("type", "WORD", "show only messages of this type, such as task-complete")
            .value("agent", "NAME", "show only messages from or to this agent: NAME or MESH/NAME")
            .value("mesh", "NAME", "show only messages from or to this mesh or its instances")
            .value(
                "since", "WHEN", "show only messages since a time (ISO-8601) or an age such as 2h")
            .value("before", "WHEN", "show only messages before a time or an age")
            .flag("errors", "show only invalid messages, with the errors")
            .flag("follow", "continue with new messages")
            .value("wait", "TIME", "with --follow: end after this time without messages"));
  }

  @Override
  public void run(Invocation call) {
    boolean errors = call.arguments().has("errors");
    int limit = call.arguments().number("limit", LIMIT, 0, Integer.MAX_VALUE);
    TxFilter filter = filter(call);
    TxFolder folder = TxCall.folder(call);
    TxViewForm form = new TxViewForm(folder, errors);
    TxView view = TxView.of(folder, Clock.systemUTC());
    if (errors) {
      view = view.withRouting();
    }
    if (call.arguments().has("follow")) {
      follow(call, form, view.follow(filter, limit));
      return;
    }
    if (call.arguments().has("wait")) {
      throw new UsageException("--wait needs --follow; give both");
    }
    TxView.Newest newest = view.newest(filter, limit);
    if (newest.leftOut() > 0) {
      call.warn(newest.leftOut() + " older files not shown; see --limit");
    }
    form.answer(call, newest);
  }

  /** Prints a line per message, so that a program can read new messages immediately. */
  private static void follow(Invocation call, TxViewForm form, TxFollower follower) {
    Duration patience = call.arguments().duration("wait", FOR_EVER);
    try (follower) {
      List<TxListed> next = follower.next(patience);
      do {
        for (TxListed listed : next) {
          call.print(call.json() ? form.json(listed).json() : form.line(listed, call.style()));
        }
        call.environment().out().flush();
        next = follower.next(patience);
      } while (!next.isEmpty());
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RalphException.closed("the view of TX's messages");
    }
  }

  private static TxFilter filter(Invocation call) {
    Arguments arguments = call.arguments();
    TxFilter filter = arguments.has("errors") ? TxFilter.ALL.problemsOnly() : TxFilter.ALL;
    String type = arguments.text("type");
    String agent = arguments.text("agent");
    String mesh = arguments.text("mesh");
    Instant since = time("since", arguments);
    Instant before = time("before", arguments);
    try {
      filter = type == null ? filter : filter.type(TxCall.type(type));
      filter = agent == null ? filter : filter.agent(agent);
      filter = mesh == null ? filter : filter.mesh(mesh);
    } catch (RalphException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
    filter = since == null ? filter : filter.since(since);
    return before == null ? filter : filter.before(before);
  }

  private static @Nullable Instant time(String option, Arguments arguments) {
    String given = arguments.text(option);
    if (given == null) {
      return null;
    }
    Duration ago = Durations.parse(given);
    Instant time =
        ago == null
            ? Times.parse(given, ZoneId.systemDefault())
            : Clock.systemUTC().instant().minus(ago);
    if (time == null) {
      throw new UsageException(
          "--"
              + option
              + " takes a time such as 2026-01-31T09:05:00Z, or an age such as 2h; not "
              + RalphException.quote(given));
    }
    return time;
  }
}
