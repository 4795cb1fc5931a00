package dev.ralph.examples.mail;

import dev.ralph.Ralph;
import dev.ralph.mail.Mailbox;
import dev.ralph.mail.Mailboxes;
import dev.ralph.mail.NewMail;
import dev.ralph.mail.Received;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** A pool of workers that share a mailbox: each mail is handled by one worker. */
public final class WorkerPool {

  private static final int WORKERS = 4;
  private static final int PARTS = 40;
  private static final Duration LEASE = Duration.ofMinutes(5);

  private WorkerPool() {}

  public static void main(String[] args) throws Exception {
    AtomicInteger done = new AtomicInteger();
    try (Ralph ralph = Ralph.inMemory()) {
      Mailboxes mail = Mailboxes.of(ralph, "shop");
      for (int i = 1; i <= PARTS; i++) {
        mail.send(NewMail.of("Build part " + i).to("builds"));
      }
      List<Thread> workers = new ArrayList<>();
      for (int i = 0; i < WORKERS; i++) {
        Thread worker = new Thread(() -> work(mail.box("builds"), done), "worker-" + i);
        worker.start();
        workers.add(worker);
      }
      for (Thread worker : workers) {
        worker.join();
      }
      System.out.println(done + " of " + mail.box("builds").history().size() + " parts built");
    }
  }

  private static void work(Mailbox builds, AtomicInteger done) {
    while (true) {
      Optional<Received> work = builds.receive(LEASE);
      if (work.isEmpty()) {
        return;
      }
      done.incrementAndGet(); // a real worker does the work of the mail here, and may fail
      work.get().ack();
    }
  }
}
