package dev.ralph.cli.tx;

import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.cli.text.SafeText;
import dev.ralph.log.Meta;
import dev.ralph.tx.TxEvent;
import dev.ralph.tx.TxFile;
import dev.ralph.tx.TxMessage;
import java.nio.file.Path;

/** Renders events and answers of TX as text and JSON. */
final class TxForm {

  private TxForm() {}

  /** Prints the file of a written message. */
  static void sent(Invocation call, Path file) {
    if (call.json()) {
      call.answer("tx_sent", "file", file.toString());
    } else {
      call.print(SafeText.line(file.toString()));
    }
  }

  /** Prints the content of an answer. */
  static void answer(Invocation call, TxFile file) {
    TxMessage message = file.message();
    if (call.json()) {
      Meta said =
          Meta.of("file", file.name())
              .with("id", message.id())
              .with("from", message.from() == null ? null : message.from().toString())
              .with("status", message.status())
              .with("headline", message.headline())
              .with("body", message.body());
      call.answer("tx_answer", "message", said);
    } else {
      String headline = message.headline();
      call.print(
          "From: "
              + message.from()
              + "\n\n"
              + SafeText.text(
                  message.body().isBlank() && headline != null ? headline : message.body()));
    }
  }

  /** Returns an event as a line. */
  static String line(TxEvent event) {
    return SafeText.line(event.toString());
  }

  /** Returns an event as a JSON object in a single line. */
  static String json(TxEvent event) {
    return Json.of("tx_event")
        .with("event", event.kind().word())
        .with("file", event.file())
        .with("to", event.to() == null ? null : event.to().toString())
        .with("why", event.why())
        .json();
  }
}
