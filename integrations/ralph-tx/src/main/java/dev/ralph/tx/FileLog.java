package dev.ralph.tx;

import dev.ralph.Ralph;
import dev.ralph.internal.StoreLocation;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Ledger;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.Topic;
import dev.ralph.mail.Dispatch;
import dev.ralph.mail.Mail;
import dev.ralph.mail.Mailbox;
import dev.ralph.mail.Mailboxes;
import dev.ralph.mail.NewMail;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The log's view of a folder: an observation of each file, and a mail for each file to deliver. The
 * mail is in the box of the file's agent, and its text is the name of the file. The observation and
 * the mail are appended together. Safe for use by many threads and processes.
 */
final class FileLog {

  /**
   * The maximum number of files per append. Larger batches would delay the first file and save
   * little.
   */
  private static final int MOST_TOGETHER = 500;

  private final Mailboxes boxes;
  private final Topic topic;
  private final Ledger<FileObservations> ledger;
  private final RoutingFiles routing;
  private final @Nullable Path home;

  /** The agents with ingested messages, up to the observation {@code looked}. Guarded by itself. */
  private final Set<TxAddress> agents = new LinkedHashSet<>();

  private int looked = -1;
  private final int mostTogether;

  FileLog(Ralph ralph, TxFolder folder, RoutingFiles routing, Consumer<TxEvent> events) {
    Mailboxes all = Mailboxes.of(ralph, project(ralph.log().info(), folder));
    this.topic = all.topic("files");
    this.boxes =
        all.heldByProcess()
            .onExpiry(mail -> frame(expired(mail)), mail -> events.accept(expired(mail).event()));
    this.ledger = ralph.ledger(topic, FileObservations.FOLD);
    this.routing = routing;
    this.home = home(ralph.log().info());
    // Each file needs two frames, an observation and a mail.
    this.mostTogether = Math.min(MOST_TOGETHER, ralph.log().info().maxBatchFrames() / 2);
  }

  /**
   * Returns the project name of a folder's boxes in a store. The name is derived from the relative
   * path between store and folder, so it stays the same if the project is moved.
   */
  private static String project(StoreInfo store, TxFolder folder) {
    Path path = followed(folder.path());
    Path home = home(store);
    Path way = home == null ? path : home.relativize(path);
    byte[] name = way.toString().getBytes(StandardCharsets.UTF_8);
    return "tx-" + UUID.nameUUIDFromBytes(name).toString().replace("-", "");
  }

  /** Returns the folder with a store, or null if none exists, as for a store in memory. */
  private static @Nullable Path home(StoreInfo store) {
    try {
      Path folder = StoreLocation.of(store.location()).folder();
      Path home = folder == null ? null : followed(folder);
      return home != null && home.isAbsolute() && Files.isDirectory(home) ? home : null;
    } catch (RuntimeException nowhere) {
      return null;
    }
  }

  /**
   * Checks that observations can be appended.
   *
   * @throws RalphException IO if the store is read-only
   */
  void requireWritable() {
    if (home != null && !Files.isWritable(home)) {
      throw RalphException.io(
          "cannot write to the store "
              + home
              + ", so deliveries cannot be recorded; grant write access or choose a different"
              + " store");
    }
  }

  /** Resolves the symbolic links of a path, as far as the path exists. */
  private static Path followed(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException missing) {
      Path above = path.getParent();
      return above == null ? path : followed(above).resolve(path.getFileName());
    }
  }

  private static FileObservation expired(Mail mail) {
    return new FileObservation(
        TxEvent.Kind.EXPIRED,
        mail.text(),
        null,
        null,
        TxMessage.EMPTY.to(mail.box()),
        deadline(mail.deadline()));
  }

  private static String deadline(@Nullable Instant deadline) {
    return "deadline was " + deadline;
  }

  Mailboxes boxes() {
    return boxes;
  }

  Mailbox box(TxAddress agent) {
    return boxes.box(agent.toString());
  }

  FileObservations sightings() {
    return ledger.state();
  }

  /** See {@link Tx#newAgents}. */
  List<TxAddress> newAgents(Set<TxAddress> known, Duration timeout) throws InterruptedException {
    return ledger
        .await(sightings -> !known.containsAll(agents(sightings)), timeout)
        .map(sightings -> agents(sightings).stream().filter(a -> !known.contains(a)).toList())
        .orElse(List.of());
  }

  /**
   * Reads only the observations that were appended since the last call, because there may be a
   * hundred thousand.
   */
  private List<TxAddress> agents(FileObservations sightings) {
    synchronized (agents) {
      if (looked < 0) {
        looked = sightings.size();
        boxes.boxes().forEach(box -> agents.add(TxAddress.parse(box.name())));
      }
      for (; looked < sightings.size(); looked++) {
        if (sightings.kind(looked) == TxEvent.Kind.TAKEN) {
          TxAddress to = sightings.get(looked).message().to();
          if (to != null) {
            agents.add(to);
          }
        }
      }
      return List.copyOf(agents);
    }
  }

  /** Returns the maximum number of files to ingest together. */
  int mostTogether() {
    return mostTogether;
  }

  /**
   * Ingests files: classifies each file, and sends deliverable files to the recipient agent. All
   * frames are appended together, because each append waits until the frames are on disk.
   *
   * @return the observations of files that were not known before
   * @throws RalphException INVALID if one of the files can't be sent; then none is sent
   */
  List<FileObservation> takeUp(List<TxFile> files) {
    TxRoutings routings = routing.current();
    return dispatch(
        "accepting " + (files.size() == 1 ? files.get(0) : files.size() + " files"),
        files,
        null,
        (known, file, now) -> known.isNews(file) ? find(known, file, routings, now) : null);
  }

  /**
   * Returns the reason why a file can't be ingested yet, or null if it can. The reason is a broken
   * routing file of its mesh, which a person must repair.
   */
  @Nullable String obstacle(TxFile file) {
    return routing.current().obstacle(file.message());
  }

  /**
   * Ingests files before they are published under their names: all of them or, on failure, none.
   *
   * @param awaited the time that the sender waits for an answer, or null
   * @return the observation of each file
   * @throws RalphException INVALID with the reason if one of the files would not be delivered
   */
  List<FileObservation> takeUpAll(List<TxFile> files, @Nullable Duration awaited) {
    TxRoutings routings = routing.current();
    return dispatch(
        "sending " + files,
        files,
        awaited,
        (known, file, now) -> {
          FileObservation sighting = find(known, file, routings, now);
          if (sighting.kind() != TxEvent.Kind.TAKEN) {
            throw RalphException.invalid(
                "message " + file.id() + " would not be delivered: " + sighting.why());
          }
          return sighting;
        });
  }

  /** Classifies a file by the observations before it. Returns null if the file is known. */
  private interface Finder {
    @Nullable FileObservation find(FileObservations known, TxFile file, Instant now);
  }

  private List<FileObservation> dispatch(
      String what, List<TxFile> files, @Nullable Duration awaited, Finder finder) {
    return boxes.dispatch(
        what,
        ledger,
        (known, now) -> {
          List<FileObservation> found = new ArrayList<>();
          FileObservations.State growing = new FileObservations.State(known);
          Dispatch<List<FileObservation>> dispatch = Dispatch.of(found);
          for (TxFile file : files) {
            FileObservations before = growing.result();
            FileObservation sighting = finder.find(before, file, now);
            if (sighting == null) {
              continue;
            }
            found.add(sighting);
            dispatch = dispatch.with(frame(sighting));
            if (sighting.kind() == TxEvent.Kind.TAKEN) {
              dispatch = mail(dispatch, before, file, sighting, awaited);
            }
            growing.add(sighting);
          }
          return dispatch;
        });
  }

  /** Returns the observation that a file would get, given the known observations. */
  FileObservation preview(FileObservations known, TxFile file) {
    return find(known, file, routing.current(), Instant.now());
  }

  private Draft frame(FileObservation sighting) {
    return Draft.of(topic, sighting.meta());
  }

  /**
   * Returns the question that an answer refers to, or null if the message is not an answer to a
   * known question.
   */
  private static @Nullable FileObservation asked(FileObservations known, TxMessage message) {
    String id = message.inReplyTo();
    return id == null || message.type() != TxType.ASK_RESPONSE ? null : known.firstTaken(id);
  }

  /**
   * Returns the owner of the box with the answered question, or null if the message answers none.
   * Only the agent that was asked can answer.
   */
  private static @Nullable TxAddress answeredIn(FileObservations known, TxMessage message) {
    FileObservation asked = asked(known, message);
    TxAddress in = asked == null ? null : asked.message().to();
    TxAddress from = message.from();
    return in != null && from != null && in.equals(from) ? in : null;
  }

  /** Returns a warning about a message that is delivered nevertheless, or null. */
  private static @Nullable String doubt(
      FileObservations known, TxMessage message, TxRoutings routings) {
    FileObservation asked = asked(known, message);
    return asked == null || answeredIn(known, message) != null
        ? routings.doubt(message)
        : "not an answer to "
            + asked.id()
            + ": that message asked "
            + asked.message().to()
            + ", but this message is from "
            + message.from();
  }

  private static FileObservation find(
      FileObservations known, TxFile file, TxRoutings routings, Instant now) {
    TxMessage message = file.message();
    if (file.isOrphan()) {
      return FileObservation.of(TxEvent.Kind.ORPHAN, file, null);
    }
    FileObservation before = known.firstTaken(file.id());
    if (before != null) {
      return file.sha256().equals(before.sha256())
          ? FileObservation.of(TxEvent.Kind.RENAMED, file, "previous name: " + before.file())
          : FileObservation.of(
              TxEvent.Kind.OTHER_TEXT, file, "the first text is valid, in " + before.file());
    }
    TxAddress to = message.to();
    if (to == null || to.equals(TxAddress.SYSTEM)) {
      return FileObservation.of(TxEvent.Kind.REFUSED, file, "no receiver; add the field 'to'");
    }
    Instant deadline = message.deadline();
    if (deadline != null && !now.isBefore(deadline)) {
      return FileObservation.of(TxEvent.Kind.EXPIRED, file, deadline(deadline));
    }
    String refusal = routings.refusal(message, known.before(message));
    return refusal == null
        ? FileObservation.of(TxEvent.Kind.TAKEN, file, doubt(known, message, routings))
        : FileObservation.of(TxEvent.Kind.REFUSED, file, refusal);
  }

  private static <T> Dispatch<T> mail(
      Dispatch<T> dispatch,
      FileObservations known,
      TxFile file,
      FileObservation sighting,
      @Nullable Duration awaited) {
    NewMail mail = mail(file, sighting);
    TxAddress sender = file.message().from();
    String from = sender == null ? null : sender.toString();
    if (from != null && awaited != null) {
      return dispatch.withQuestion(from, mail, awaited);
    }
    String answered = file.message().inReplyTo();
    TxAddress in = answeredIn(known, file.message());
    FileObservation question = answered == null ? null : known.firstTaken(answered);
    return in == null || question == null
        ? dispatch.with(from, mail)
        : dispatch.withAnswer(from, mail, in.toString(), question.key());
  }

  /** Returns the mail for a file. */
  static NewMail mail(TxFile file, FileObservation sighting) {
    TxMessage message = file.message();
    return NewMail.of(file.name())
        .to(String.valueOf(message.to()))
        .key(sighting.key())
        .type(message.type() == null ? null : message.type().word())
        .headline(message.headline())
        .priority(message.priority())
        .deadline(message.deadline());
  }

  /**
   * Appends the observation of a file, unless it repeats the last observation.
   *
   * @return whether the observation was appended
   */
  boolean note(FileObservation sighting) {
    return ledger.decide(
        "recording that " + sighting.file() + " " + sighting.kind().word(),
        (known, now) ->
            isSame(known.lastOfFile(sighting.file()), sighting)
                ? Decision.nothing(false)
                : Decision.append(frame(sighting), after -> true));
  }

  private static boolean isSame(@Nullable FileObservation one, FileObservation other) {
    return one != null
        && one.kind() == other.kind()
        && String.valueOf(one.sha256()).equals(String.valueOf(other.sha256()))
        && String.valueOf(one.why()).equals(String.valueOf(other.why()));
  }
}
