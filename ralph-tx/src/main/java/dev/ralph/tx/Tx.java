package dev.ralph.tx;

import dev.ralph.Ralph;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.RalphException;
import dev.ralph.mail.ListedBox;
import dev.ralph.mail.Mail;
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
 * The messages of a folder of TX, sent and delivered. The files are the truth of what they say, the
 * log of who has got them.
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
 * <p>Files may come from any hand: one that is in the folder is sent. Any number of processes may
 * deliver from one folder, if they share a store; each message goes to its agent once. Safe for use
 * by many threads. Close it, or its consumers run on until the store is closed.
 */
public final class Tx implements AutoCloseable {

  /** A consumer that was killed is noticed after that. */
  private static final Duration LEASE = Duration.ofSeconds(30);

  private final TxFolder folder;
  private final Duration lease;
  private final Consumer<TxEvent> events;
  private final FileLog log;
  private final Roster roster;

  // Guarded by this:
  private final Set<TxConsumer> consumers = new HashSet<>();
  private @Nullable Intake intake;

  private boolean closed;

  private Tx(Ralph ralph, TxFolder folder, Duration lease, Consumer<TxEvent> events) {
    this.folder = folder;
    this.lease = lease;
    this.events = events;
    this.log = new FileLog(ralph, folder, new RoutingFiles(folder.routing(), events), events);
    this.roster = new Roster(ralph, log.boxes().topic("roster"));
  }

  /** Returns the messages of a folder; what happened to them stands in the store. */
  public static Tx of(Ralph ralph, TxFolder folder) {
    return of(ralph, folder, event -> {});
  }

  /**
   * Returns the messages of a folder; what happened to them stands in the store.
   *
   * @param events is told what happens, by any thread; several at once may call it, so a delivery
   *     may be told of before its taking up
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
   * Sends messages: all of them, or none. One alone is written as it is, and is found out about by
   * who delivers it. Of several nobody sees a file before the log has all of them; they are refused
   * if one of them would not be delivered.
   *
   * @return the files, in the order of the messages
   * @throws RalphException INVALID if a message lacks a field, if there is a file of its name, if
   *     another one of its msg-id was taken up, or if one of several would not be delivered, as the
   *     routing of its mesh says; else as {@link TxFolder#write} does
   */
  public List<Path> send(TxMessage message, TxMessage... more) {
    Objects.requireNonNull(message, "message");
    makeFolder();
    if (more.length == 0) {
      String id = message.id();
      Sighting before = id == null ? null : log.sightings().firstTaken(id);
      if (before != null) {
        throw RalphException.invalid(
            "the message would not be delivered: its msg-id "
                + id
                + " is that of "
                + before.file());
      }
      return List.of(folder.write(message));
    }
    List<TxMessage> all = new ArrayList<>(List.of(message));
    all.addAll(List.of(more));
    return sendAll(all, null).stream().map(sighting -> folder.file(sighting.file())).toList();
  }

  /** Writes the files aside, appends that they are sent, and gives them their names. */
  private List<Sighting> sendAll(List<TxMessage> messages, @Nullable Duration awaited) {
    List<String> names = new ArrayList<>();
    List<Sighting> sent;
    try {
      messages.forEach(each -> names.add(folder.setAside(each)));
      sent = log.takeUpAll(names.stream().map(folder::readAside).toList(), awaited);
    } catch (IndeterminateException e) {
      throw e; // who finds them in the log gives them their names
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
   * same agent that names it in {@code in-reply-to}. Nobody else is given that answer meanwhile.
   * One that comes later is delivered like any other message.
   *
   * <p>A question whose msg-id its sender sent to that agent before is not sent again, so that a
   * program that was killed can ask again: this returns its answer, or waits for it.
   *
   * @param timeout how long to wait at the most: 1 ms to 30 days. A deadline ends the wait as well
   * @return empty if there was no answer in time
   * @throws InterruptedException if the thread is interrupted while it waits
   * @throws RalphException INVALID if this is no {@code ask}, if it lacks a field, if it would not
   *     be delivered, if its msg-id is that of somebody else's message or of one to somebody else,
   *     or if the time is outside that range
   */
  public Optional<TxFile> ask(TxMessage question, Duration timeout) throws InterruptedException {
    Objects.requireNonNull(question, "question");
    Objects.requireNonNull(timeout, "timeout");
    if (question.type() != TxType.ASK) {
      throw RalphException.invalid("only a message of the type ask can be asked, not " + question);
    }
    makeFolder();
    String id = question.id();
    Sighting before = id == null ? null : log.sightings().firstTaken(id);
    if (before != null && !isOneWay(before.message(), question)) {
      throw RalphException.invalid(
          "this is not asked, because its msg-id "
              + id
              + " is that of another message, from "
              + before.message().from()
              + " to "
              + before.message().to()
              + "; give it one of its own");
    }
    // What is there already can't be the answer to what is not sent yet, and may be a lot.
    Set<String> ignored = before == null ? Set.copyOf(folder.names()) : Set.of();
    Sighting sent = before == null ? sendAll(List.of(question), timeout).get(0) : before;
    TxFile file = folder.read(sent.file());
    TxAddress asker = Objects.requireNonNull(file.message().from(), "a question's sender");
    try (Intake answers = new Intake(folder, log, ignored, events)) {
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
   * Begins to deliver the messages of an agent: those that are there, and those that come. The ones
   * of the highest priority are first, and of these the oldest. One whose deadline has passed is
   * not delivered.
   *
   * @param agent see {@link TxAddress#parse}
   * @return what delivers, until it is closed
   * @throws RalphException IO if the store may only be read
   */
  public TxConsumer deliver(String agent, TxSink sink) {
    return deliver(TxAddress.parse(agent), sink);
  }

  /** Begins to deliver the messages of an agent: see {@link #deliver(String, TxSink)}. */
  public synchronized TxConsumer deliver(TxAddress agent, TxSink sink) {
    Objects.requireNonNull(agent, "agent");
    Objects.requireNonNull(sink, "sink");
    takeUp();
    TxConsumer[] made = new TxConsumer[1];
    TxConsumer consumer =
        new TxConsumer(agent, folder, log, roster, sink, lease, events, () -> closed(made[0]));
    made[0] = consumer;
    consumers.add(consumer);
    consumer.start();
    return consumer;
  }

  /**
   * Begins to take up files, for any agent: they are read, and wait for their agents. To deliver
   * does so too. It goes on until this is closed.
   *
   * @throws RalphException IO if the store may only be read
   */
  public synchronized void takeUp() {
    if (closed) {
      throw RalphException.closed("the delivery of " + folder);
    }
    if (intake == null) {
      log.requireWritable();
      makeFolder();
      intake = new Intake(folder, log, Set.of(), events);
      intake.start();
    }
  }

  private synchronized void closed(TxConsumer consumer) {
    if (consumers.remove(consumer)) {
      leave(consumer.agent());
    }
  }

  private void leave(TxAddress agent) {
    if (consumers.stream().noneMatch(other -> other.agent().equals(agent))) {
      try {
        roster.leave(agent);
      } catch (RalphException e) {
        // The roster says so itself, as soon as it sees that this process has ended.
      }
    }
  }

  /** Closes all consumers, and ends taking up files. Closing again does nothing. */
  @Override
  public void close() {
    List<TxConsumer> ending;
    Intake taking;
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
   * Returns what would happen to the files that were not taken up yet, in the order in which they
   * were written: {@link TxEvent.Kind#TAKEN} for those that would be delivered. Changes nothing.
   */
  public List<TxEvent> preview() {
    return Intake.preview(folder, log);
  }

  /**
   * Returns what was not delivered, or not as it was taken up, and why: what was found out last
   * about each such file, oldest first.
   */
  public List<TxEvent> steppedOver() {
    List<Sighting> found = log.sightings().steppedOver();
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

  /** Returns the agents that somebody delivers to, in any process, by name. */
  public Set<TxAddress> present() {
    return roster.present();
  }

  /** Returns the boxes of the agents that messages were sent to, by name. */
  public List<ListedBox> boxes() {
    return log.boxes().boxes();
  }

  /**
   * Returns the agents that messages were taken up for, by any process, and that a caller does not
   * know yet; waits for one if there is none. This is how to deliver to all agents: events tell of
   * what this object takes up only.
   *
   * @param known those that are not returned
   * @param timeout how long to wait at the most; zero or less does not wait
   * @return by name those from before this was first called, then in the order of their first
   *     messages; empty if there was none in time
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public List<TxAddress> newAgents(Set<TxAddress> known, Duration timeout)
      throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    return log.newAgents(Set.copyOf(known), timeout);
  }

  /**
   * Returns the names of the files that wait for an agent, oldest first.
   *
   * @param agent whose messages
   */
  public List<String> waiting(TxAddress agent) {
    Objects.requireNonNull(agent, "agent");
    return log.box(agent).unread().stream().map(Mail::text).toList();
  }
}
