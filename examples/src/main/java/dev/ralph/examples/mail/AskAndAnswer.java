package dev.ralph.examples.mail;

import dev.ralph.Ralph;
import dev.ralph.mail.Mail;
import dev.ralph.mail.Mailbox;
import dev.ralph.mail.Mailboxes;
import dev.ralph.mail.NewMail;
import dev.ralph.mail.Received;
import java.time.Duration;

/** Two agents in a single program: the first agent asks a question, the second answers. */
public final class AskAndAnswer {

  private static final Duration LEASE = Duration.ofMinutes(5);
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private AskAndAnswer() {}

  public static void main(String[] args) throws Exception {
    try (Ralph ralph = Ralph.inMemory()) {
      run(ralph);
    }
  }

  private static void run(Ralph ralph) throws InterruptedException {
    Mailboxes mail = Mailboxes.of(ralph, "shop");
    Mailbox ann = mail.box("ann");
    Mailbox bob = mail.box("bob");

    Thread answering = new Thread(() -> answer(bob), "bob");
    answering.start();
    Mail answer = ann.ask(NewMail.of("What does it cost?").to("bob"), TIMEOUT).orElseThrow();
    System.out.println(answer.from() + ": " + answer.text());
    answering.join();
  }

  private static void answer(Mailbox bob) {
    try {
      Received question = bob.receive(LEASE, TIMEOUT).orElseThrow();
      question.reply("Ten, as of Monday.");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
