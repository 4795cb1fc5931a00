package dev.ralph.examples.tx;

import dev.ralph.Ralph;
import dev.ralph.tx.Tx;
import dev.ralph.tx.TxFile;
import dev.ralph.tx.TxFilter;
import dev.ralph.tx.TxFolder;
import dev.ralph.tx.TxListed;
import dev.ralph.tx.TxMessage;
import dev.ralph.tx.TxType;
import dev.ralph.tx.TxView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;

/**
 * Two agents in one program exchange TX files: the first agent asks a question, the second answers.
 */
public final class AskOverFiles {

  private AskOverFiles() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    Path project = Files.createTempDirectory("shop");
    try (Ralph ralph = Ralph.open(project.resolve(".ralph/store"))) {
      ask(ralph, project.resolve(TxFolder.USUAL));
    }
    look(project.resolve(TxFolder.USUAL));
  }

  private static void ask(Ralph ralph, Path folder) throws InterruptedException {
    try (Tx tx = Tx.of(ralph, TxFolder.of(folder))) {
      var brain = tx.deliver("brain", delivery -> answer(tx, delivery.file().message()));

      TxMessage question =
          TxMessage.of(TxType.ASK).from("core").to("brain").newId().headline("Which port?");
      TxFile answer = tx.ask(question, Duration.ofMinutes(1)).orElseThrow();
      System.out.println(brain.agent() + ": " + answer.message().headline());
    }
  }

  private static void answer(Tx tx, TxMessage question) {
    tx.send(question.reply(TxType.ASK_RESPONSE).newId().headline("8080"));
  }

  private static void look(Path folder) {
    TxView view = TxView.of(TxFolder.of(folder), Clock.systemUTC());
    for (TxListed listed : view.newest(TxFilter.ALL.agent("brain"), 20).messages()) {
      System.out.println(listed.message().from() + " wrote: " + listed.message().headline());
    }
  }
}
