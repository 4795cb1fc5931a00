package dev.ralph.tx;

import dev.ralph.Ralph;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.RalphException;
import dev.ralph.mail.Mail;
import dev.ralph.mail.Mailbox;
import java.nio.file.Path;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends and delivers the messages of a TX folder. The files hold the messages; the log records
 * their delivery.
 *
 * <pre>{@code
 * try (Tx tx = Tx.of(ralph, TxFolder.of(Path.of(".ai/tx")))) {
 *   tx.deliver("brain", delivery -> System.out.println(delivery.file()));
 *   TxMessage question =
 *       TxMessage.of(TxType.ASK).from("core").to("brain").newId().headline("Which port?");
 *   Optional<TxFile> answer = tx.ask(question, Duration.ofMinutes(10));
 * }
 * }</pre>
 *
 * <p>Every program may write the files: a file in the folder counts as sent. Any number of
 * processes may deliver from one folder if they share a store; each message goes to its agent once.
 * Safe for use by many threads. Close the object; otherwise its consumers run until the store is
 * closed.
 */
public final class Tx implements AutoCloseable {

  /** Time after which the messages of a killed consumer are delivered again. */
  private static final Duration LEASE = Duration.ofSeconds(30);

  final TxFolder folder;
  final Duration lease;
  final Consumer<TxEvent> events;
  final FileLog log;
  final ConsumerRoster roster;

  // Guarded by this:
  private final Set<TxConsumer> consumers = new HashSet<>();
  private @Nullable FolderIngest intake;

  private boolean closed;

  private Tx(Ralph ralph, TxFolder folder, Duration lease, Consumer<TxEvent> events) {
    this.folder = folder;
    this.lease = lease;
    this.events = events;
    this.log = new FileLog(ralph, folder, new RoutingFiles(folder.routing(), events), events);
    this.roster = new ConsumerRoster(ralph, log.boxes().topic("roster"));
  }

  /** Returns the messages of a folder. The store records their delivery. */
  public static Tx of(Ralph ralph, TxFolder folder) {
    return of(ralph, folder, event -> {});
  }

  /**
   * Returns the messages of a folder. The store records their delivery.
   *
   * @param events receives the events. Several threads may call the event consumer at the same
   *     time. The delivery of a message may be reported before the ingest
   */
  public static Tx of(Ralph ralph, TxFolder folder, Consumer<TxEvent> events) {
    return of(ralph, folder, events, LEASE);
  }

  static Tx of(Ralph ralph, TxFolder folder, Consumer<TxEvent> events, Duration lease) {
    Objects.requireNonNull(ralph, "ralph");
    Objects.requireNonNull(folder, "folder");
    Objects.requireNonNull(events, "events");
    return new Tx(ralph, folder, lease, events);
  }

  // ---- sending

  /**
   * Sends messages: all or none. A single message is only written; it is checked at delivery.
   * Several messages are checked at once, and all are rejected if one of them would not be
   * delivered. No reader sees a file of several messages before the log contains all of them.
   *
   * @return the files, in the order of the messages
   * @throws RalphException INVALID if a message lacks a field, if its file exists, or if its msg-id
   *     was ingested with another message. INVALID also if the routing rejects one of several
   *     messages. Otherwise as {@link TxFolder#write} does
   */
  public List<Path> send(TxMessage message, TxMessage... more) {
    Objects.requireNonNull(message, "message");
    makeFolder();
    if (more.length == 0) {
      String id = message.id();
      FileObservation before = id == null ? null : log.sightings().firstTaken(id);
      if (before != null) {
        throw RalphException.invalid(
            "message would not be delivered: its msg-id "
                + id
                + " is already used by "
                + before.file());
      }
      return List.of(folder.write(message));
    }
    List<TxMessage> all = new ArrayList<>(List.of(message));
    all.addAll(List.of(more));
    return sendAll(all, null).stream().map(sighting -> folder.file(sighting.file())).toList();
  }

  /** Writes the files aside, appends their observations and mails, and publishes the files. */
  private List<FileObservation> sendAll(List<TxMessage> messages, @Nullable Duration awaited) {
    List<String> names = new ArrayList<>();
    List<FileObservation> sent;
    try {
      messages.forEach(each -> names.add(folder.setAside(each)));
      sent = log.takeUpAll(names.stream().map(folder::readAside).toList(), awaited);
    } catch (IndeterminateException e) {
      throw e; // if the log contains them, an ingest or consumer publishes them
    } catch (RuntimeException e) {
      names.forEach(folder::withdraw);
      throw e;
    }
    names.forEach(folder::publish);
    return sent;
  }

  private void makeFolder() {
    folder.makeMessages();
  }

  /**
   * Sends a question and waits for its answer: the message of the type {@code ask-response} to the
   * asker that names the question in {@code in-reply-to}. Meanwhile no other consumer receives the
   * answer. A later answer is delivered as an ordinary message.
   *
   * <p>A program that was killed can ask again. A question is not sent again if its sender has sent
   * the same msg-id to the same agent before. The method then returns the answer, or waits for it.
   *
   * @param timeout the maximum time to wait: 1 ms to 30 days. The question's deadline also ends the
   *     wait
   * @return the answer, or empty on timeout
   * @throws InterruptedException if the thread is interrupted while waiting
   * @throws RalphException INVALID if the message is not an {@code ask}, lacks a field, or would
   *     not be delivered. INVALID also if its msg-id belongs to a message from or to another agent,
   *     or if the timeout is outside its range
   */
  public Optional<TxFile> ask(TxMessage question, Duration timeout) throws InterruptedException {
    Objects.requireNonNull(question, "question");
    Objects.requireNonNull(timeout, "timeout");
    if (question.type() != TxType.ASK) {
      throw RalphException.invalid("ask() needs a message of type ask, not " + question);
    }
    makeFolder();
    String id = question.id();
    FileObservation before = id == null ? null : log.sightings().firstTaken(id);
    if (before != null && !isOneWay(before.message(), question)) {
      throw RalphException.invalid(
          "question not sent: its msg-id "
              + id
              + " is already used by a message from "
              + before.message().from()
              + " to "
              + before.message().to()
              + "; choose a different msg-id");
    }
    // Existing files can't answer a question that is not sent yet, and there may be many of them.
    Set<String> ignored = before == null ? Set.copyOf(folder.names()) : Set.of();
    FileObservation sent = before == null ? sendAll(List.of(question), timeout).get(0) : before;
    TxFile file = folder.read(sent.file());
    TxAddress asker = Objects.requireNonNull(file.message().from(), "a question's sender");
    try (FolderIngest answers = new FolderIngest(folder, log, ignored, events)) {
      answers.start();
      Optional<Mail> answer = log.box(asker).ask(FileLog.mail(file, sent), timeout);
      return answer.map(mail -> folder.read(mail.text()));
    }
  }

  private static boolean isOneWay(TxMessage one, TxMessage other) {
    return Objects.equals(one.from(), other.from()) && Objects.equals(one.to(), other.to());
  }

  // ---- delivering

  /**
   * Starts to deliver the messages of an agent, both present and future messages. Messages with the
   * highest priority are delivered first, and among these the oldest. A message whose deadline has
   * passed is not delivered.
   *
   * @param agent see {@link TxAddress#parse}
   * @return the running consumer
   * @throws RalphException IO if the store is read-only
   */
  public TxConsumer deliver(String agent, TxSink sink) {
    return deliver(TxAddress.parse(agent), sink);
  }

  /** Starts to deliver the messages of an agent: see {@link #deliver(String, TxSink)}. */
  public synchronized TxConsumer deliver(TxAddress agent, TxSink sink) {
    Objects.requireNonNull(agent, "agent");
    Objects.requireNonNull(sink, "sink");
    takeUp();
    TxConsumer consumer = new TxConsumer(this, agent, sink);
    consumers.add(consumer);
    consumer.start();
    return consumer;
  }

  /**
   * Starts to ingest files for all agents: the files are read, and their messages wait for their
   * agents. {@link #deliver} does this as well. The ingest runs until this object is closed.
   *
   * @throws RalphException IO if the store is read-only
   */
  public synchronized void takeUp() {
    if (closed) {
      throw RalphException.closed("the delivery of " + folder);
    }
    if (intake == null) {
      log.requireWritable();
      makeFolder();
      intake = new FolderIngest(folder, log, Set.of(), events);
      intake.start();
    }
  }

  /** Forgets a consumer, and removes its agent from the roster if no other consumer has it. */
  synchronized void closed(TxConsumer consumer) {
    if (consumers.remove(consumer)) {
      leave(consumer.agent());
    }
  }

  private void leave(TxAddress agent) {
    if (consumers.stream().noneMatch(other -> other.agent().equals(agent))) {
      try {
        roster.leave(agent);
      } catch (RalphException e) {
        // The roster ignores the entry as soon as this process has ended.
      }
    }
  }

  /** Closes all consumers and stops the ingest. Closing again does nothing. */
  @Override
  public void close() {
    List<TxConsumer> ending;
    FolderIngest taking;
    synchronized (this) {
      closed = true;
      ending = List.copyOf(consumers);
      taking = intake;
      intake = null;
    }
    ending.forEach(TxConsumer::close);
    roster.close();
    if (taking != null) {
      taking.close();
    }
  }

  // ---- looking

  /** Returns the folder. */
  public TxFolder folder() {
    return folder;
  }

  /**
   * Returns the events that files without an ingest would cause, in the order in which they were
   * written. {@link TxEvent.Kind#TAKEN} stands for a message that would be delivered. Changes
   * nothing.
   */
  public List<TxEvent> preview() {
    return FolderIngest.preview(folder, log);
  }

  /**
   * Returns the latest event of each file that was not delivered, or was changed after its ingest,
   * oldest first.
   */
  public List<TxEvent> steppedOver() {
    List<FileObservation> found = log.sightings().steppedOver();
    return new AbstractList<>() {
      @Override
      public TxEvent get(int i) {
        return found.get(i).event();
      }

      @Override
      public int size() {
        return found.size();
      }
    };
  }

  /** Returns the agents to which any process delivers, sorted by name. */
  public Set<TxAddress> present() {
    return roster.present();
  }

  /** Returns the boxes of all agents with messages, sorted by name. */
  public List<Mailbox.Listed> boxes() {
    return log.boxes().boxes();
  }

  /**
   * Returns agents that have messages ingested by any process and are unknown to the caller. Waits
   * if there are none. Use this method to deliver to all agents, because the events report only the
   * ingest of this object.
   *
   * @param known the agents to leave out
   * @param timeout the maximum time to wait; zero or less does not wait
   * @return the agents from before the first call, sorted by name, then the others in the order of
   *     their first messages; empty on timeout
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  public List<TxAddress> newAgents(Set<TxAddress> known, Duration timeout)
      throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    return log.newAgents(Set.copyOf(known), timeout);
  }

  /**
   * Returns the names of the files that wait for an agent, oldest first.
   *
   * @param agent the recipient
   */
  public List<String> waiting(TxAddress agent) {
    Objects.requireNonNull(agent, "agent");
    return log.box(agent).unread().stream().map(Mail::text).toList();
  }
}
