package dev.ralph.cli.tx;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.mail.Mailbox;
import dev.ralph.tx.Tx;
import dev.ralph.tx.TxAddress;
import dev.ralph.tx.TxFolder;
import dev.ralph.tx.TxListed;
import dev.ralph.tx.TxView;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** {@code ralph tx orphans}. */
public final class TxOrphansCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return TxCall.common(
        CommandSyntax.of(
                "list messages without a receiver: set aside by TX, or to an inactive mesh")
            .limit("newest"));
  }

  @Override
  public void run(Invocation call) {
    TxFolder folder = TxCall.folder(call);
    TxView view = TxView.of(folder, Clock.systemUTC());
    Set<String> waiting = waiting(Tx.of(TxCall.storeIfAny(call), folder));
    List<TxListed> all = new ArrayList<>(view.files(waiting));
    view.orphans().stream().filter(orphan -> !waiting.contains(orphan.name())).forEach(all::add);
    all.sort(Comparator.comparing(TxListed::time).thenComparing(TxListed::name));
    new TxViewForm(folder, false).orphans(waiting).answer(call, all, "No orphans");
  }

  /** Returns the files for agents of meshes without a running delivery. */
  private static Set<String> waiting(Tx tx) {
    Set<String> running = new HashSet<>();
    tx.present().forEach(agent -> running.add(agent.mesh()));
    Set<String> waiting = new HashSet<>();
    for (Mailbox.Listed box : tx.boxes()) {
      TxAddress agent = TxAddress.parse(box.name());
      if (box.unread() > 0 && !running.contains(agent.mesh())) {
        waiting.addAll(tx.waiting(agent));
      }
    }
    return waiting;
  }
}
