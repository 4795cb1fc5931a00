package dev.ralph.cli.tx;

import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Syntax;
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
  public Syntax syntax() {
    return TxCall.files(
        Syntax.of("the newest messages of TX, by any writer; delivers none")
            .value("limit", "N", "how many; " + LIMIT + " if not given")
            .value("type", "WORD", "only of that type, such as task-complete")
            .value("agent", "NAME", "only from or to that agent: its name, or mesh/agent")
            .value("mesh", "NAME", "only from or to that mesh, or any instance of it")
            .value("since", "WHEN", "only those since that time (ISO-8601), or as long ago: 2h")
            .value("before", "WHEN", "only those before that time, or longer ago")
            .flag("errors", "only those with something wrong, and what it is")
            .flag("follow", "go on with those that come")
            .value("wait", "TIME", "with --follow: end once none came for so long"));
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
      throw new UsageException("--wait ends --follow; give both");
    }
    TxView.Newest newest = view.newest(filter, limit);
    if (newest.leftOut() > 0) {
      call.warn(newest.leftOut() + " older files left out; see --limit");
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
              + " takes a time such as 2026-01-31T09:05:00Z, or how long ago: 2h; not "
              + RalphException.quote(given));
    }
    return time;
  }
}
