package dev.ralph.tx;

import dev.ralph.core.internal.process.ThreadEnd;
import dev.ralph.domain.Lease;
import dev.ralph.log.ClosedException;
import dev.ralph.log.ContendedException;
import dev.ralph.log.LockedException;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import dev.ralph.mail.Mail;
import dev.ralph.mail.Mailbox;
import dev.ralph.mail.Received;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the messages of an agent until closed. Created by {@link Tx#deliver}. Safe for use by
 * many threads.
 */
public final class TxConsumer implements AutoCloseable {

  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  /** Maximum wait for a message before the next check that the agent is ready. */
  private static final Duration POLL_INTERVAL = Duration.ofMinutes(1);

  private final Tx tx;
  private final TxAddress agent;
  private final TxFolder folder;
  private final FileLog log;
  private final Mailbox box;
  private final TxSink sink;
  private final Duration lease;
  private final Consumer<TxEvent> events;
  private final Lease.Renewal renewal;
  private final Thread worker;

  /** The message that is being delivered. */
  private volatile @Nullable Received held;

  // Only for the worker thread:
  private Duration pause = SHORTEST_PAUSE;
  private @Nullable String failed;

  TxConsumer(Tx tx, TxAddress agent, TxSink sink) {
    this.tx = tx;
    this.agent = agent;
    this.folder = tx.folder;
    this.log = tx.log;
    this.box = log.box(agent);
    this.sink = sink;
    this.lease = tx.lease;
    this.events = tx.events;
    this.renewal = new Lease.Renewal(lease, this::renew);
    this.worker = new Thread(this::work, "ralph-tx-" + agent);
    worker.setDaemon(true);
  }

  void start() {
    worker.start();
  }

  /** Returns the agent. */
  public TxAddress agent() {
    return agent;
  }

  /**
   * Returns whether the consumer is running: neither the consumer nor the store is closed, and the
   * store exists.
   */
  public boolean isRunning() {
    return worker.isAlive();
  }

  private void work() {
    try {
      while (true) {
        try {
          step();
        } catch (ClosedException | NotFoundException e) {
          return; // the store was closed or removed; the intake reports this
        } catch (RuntimeException e) {
          reportOnce(TxEvent.Kind.WARNING, folder.messages().toString(), words(e));
          pause();
        }
      }
    } catch (InterruptedException closed) {
      // Closed: the interrupt ends the thread.
    } catch (Error e) {
      tx.closed(this); // removes the agent from the roster, because delivery has stopped
      throw e;
    }
  }

  private void step() throws InterruptedException {
    if (!isReady()) {
      tx.roster.leave(agent);
      log.boxes().expire(agent.toString());
      if (box.unread().isEmpty()) {
        box.await(box.history().size(), POLL_INTERVAL);
      }
      pause();
      return;
    }
    tx.roster.join(agent);
    Optional<Received> received = box.receive(lease, POLL_INTERVAL);
    if (received.isPresent()) {
      deliver(received.get());
    }
  }

  private boolean isReady() throws InterruptedException {
    try {
      return sink.isReady();
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      reportOnce(TxEvent.Kind.WARNING, agent.toString(), words(e));
      return false;
    }
  }

  private void pause() throws InterruptedException {
    Thread.sleep(pause.toMillis());
    Duration longer = pause.multipliedBy(2);
    pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
  }

  /** Reports an event, unless it repeats the last event. */
  private void reportOnce(TxEvent.Kind kind, String file, String why) {
    String text = kind + file + why;
    if (!text.equals(failed)) {
      failed = text;
      events.accept(new TxEvent(kind, file, agent, why));
    }
  }

  // ---- single message

  private void deliver(Received received) throws InterruptedException {
    held = received;
    renewal.start();
    try {
      Mail mail = received.mail();
      TxFile file = read(received, mail.text());
      if (file == null) {
        return;
      }
      sink.deliver(
          new TxSink.Delivery(agent, folder.file(file.name()), file, received.isRedelivery()));
      settle(received);
      events.accept(new TxEvent(TxEvent.Kind.DELIVERED, file.name(), agent, null));
      pause = SHORTEST_PAUSE;
      failed = null;
    } catch (InterruptedException closed) {
      release(received);
      throw closed;
    } catch (ClosedException e) {
      throw e;
    } catch (Exception e) {
      release(received);
      reportOnce(TxEvent.Kind.FAILED, received.mail().text(), words(e));
      pause();
    } finally {
      held = null;
    }
  }

  private static String words(Exception e) {
    String message = e.getMessage();
    return message == null ? e.getClass().getSimpleName() : message;
  }

  /** Returns the file, or null after settling a message that can't be delivered. */
  private @Nullable TxFile read(Received received, String name) throws InterruptedException {
    if (!TxFolder.isDeliverable(name)) { // not a name that a consumer wrote into the log
      note(
          new FileObservation(
              TxEvent.Kind.GONE, name, null, null, TxMessage.EMPTY.to(agent), null));
      settle(received);
      return null;
    }
    Path path = folder.file(name);
    FileObservation taken = log.sightings().lastOfFile(name);
    if (!Files.exists(path)) {
      folder.publish(name); // its sender was killed before it published the file
    }
    if (!Files.exists(path)) {
      boolean isOrphan = Files.exists(folder.file(TxName.orphan(name)));
      TxFile renamed = isOrphan || taken == null ? null : renamed(taken);
      if (renamed != null) {
        return renamed;
      }
      TxEvent.Kind kind = isOrphan ? TxEvent.Kind.ORPHAN : TxEvent.Kind.GONE;
      note(new FileObservation(kind, name, null, null, TxMessage.EMPTY.to(agent), null));
      settle(received);
      return null;
    }
    TxFile file;
    try {
      file = folder.read(name);
    } catch (RalphException e) {
      if (e.code() != RalphException.Code.INVALID) {
        throw e;
      }
      note(
          new FileObservation(
              TxEvent.Kind.CHANGED,
              name,
              null,
              null,
              TxMessage.EMPTY.to(agent),
              "no longer a valid message, so not delivered: " + e.getMessage()));
      settle(received);
      return null;
    }
    if (taken != null && !file.sha256().equals(taken.sha256())) {
      note(FileObservation.of(TxEvent.Kind.CHANGED, file, "the changed text is delivered"));
    }
    return file;
  }

  /** Returns an undelivered file with the same content under another name, or null. */
  private @Nullable TxFile renamed(FileObservation taken) {
    FileObservations known = log.sightings();
    for (String name : folder.names()) {
      boolean isNew = TxFolder.isDeliverable(name) && !known.knows(name);
      TxFile file = isNew ? folder.readIfAny(name) : null;
      if (file != null && file.sha256().equals(taken.sha256())) {
        return file;
      }
    }
    return null;
  }

  private void note(FileObservation sighting) {
    if (log.note(sighting)) {
      events.accept(sighting.event());
    }
  }

  /**
   * Acknowledges a delivered message. Retries while the store is busy, because the message would be
   * delivered again otherwise.
   */
  private void settle(Received received) throws InterruptedException {
    Instant end = Instant.now().plus(lease);
    while (true) {
      try {
        received.ack();
        return;
      } catch (ContendedException | LockedException e) {
        if (Instant.now().isAfter(end)) {
          throw e;
        }
        Thread.sleep(SHORTEST_PAUSE.toMillis());
      }
    }
  }

  private static void release(Received received) {
    try {
      received.release();
    } catch (RalphException lapsed) {
      // The message is already free, or becomes free when its lease expires.
    }
  }

  private void renew() {
    Received now = held;
    if (now != null) {
      now.renew(lease);
    }
  }

  /**
   * Stops the delivery and removes the agent from the roster. A message in progress is released
   * unless its agent gets it now. Closing again does nothing.
   */
  @Override
  public void close() {
    worker.interrupt();
    ThreadEnd.await(worker);
    renewal.close();
    tx.closed(this);
  }
}
