package dev.ralph.cli.tx;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.log.Meta;
import dev.ralph.mail.Mailbox;
import dev.ralph.tx.Tx;
import dev.ralph.tx.TxAddress;
import dev.ralph.tx.TxEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** {@code ralph tx status}. */
public final class TxStatusCommand implements Command {

  private static final int WIDTH = 24;

  /** The maximum number of undelivered messages shown to people. */
  private static final int SHOWN = 20;

  @Override
  public CommandSyntax syntax() {
    return TxCall.common(
        CommandSyntax.of("show running TX agents, waiting messages and failed deliveries"));
  }

  @Override
  public void run(Invocation call) {
    Tx tx = Tx.of(TxCall.storeIfAny(call), TxCall.folder(call));
    Set<TxAddress> present = tx.present();
    Map<String, Mailbox.Listed> boxes = new HashMap<>();
    tx.boxes().forEach(box -> boxes.put(box.name(), box));
    Set<String> names = new TreeSet<>(boxes.keySet());
    present.forEach(agent -> names.add(agent.toString()));
    List<Meta> agents = new ArrayList<>();
    List<String> lines = new ArrayList<>();
    for (String name : names) {
      Mailbox.Listed box = boxes.getOrDefault(name, new Mailbox.Listed(name, 0, 0, true));
      boolean runs = present.contains(TxAddress.parse(name));
      agents.add(
          Meta.of("agent", name)
              .with("runs", runs)
              .with("waiting", box.unread())
              .with("total", box.total()));
      lines.add(
          name
              + " ".repeat(Math.max(1, WIDTH - name.length()))
              + (runs ? "running" : "not running")
              + ", "
              + box.unread()
              + " of "
              + box.total()
              + " waiting");
    }
    List<TxEvent> steppedOver = tx.steppedOver();
    if (call.json()) {
      call.print(
          Json.of("tx_status")
              .with("folder", tx.folder().toString())
              .with("agents", agents)
              .with("stepped_over", steppedOver.stream().map(TxStatusCommand::meta).toList())
              .json());
      return;
    }
    if (lines.isEmpty()) {
      call.print("No deliveries yet; ralph tx deliver delivers messages");
    }
    lines.forEach(call::print);
    int begin = Math.max(0, steppedOver.size() - SHOWN);
    if (!steppedOver.isEmpty()) {
      String part = begin > 0 ? ", the last " + SHOWN : "";
      call.print("Not delivered, or changed before delivery" + part + ":");
    }
    steppedOver
        .subList(begin, steppedOver.size())
        .forEach(event -> call.print("  " + TxForm.line(event)));
  }

  private static Meta meta(TxEvent event) {
    return Meta.of("event", event.kind().word())
        .with("file", event.file())
        .with("why", event.why());
  }
}
