package dev.ralph.chaos;

import dev.ralph.Claim;
import dev.ralph.Iteration;
import dev.ralph.NewMessage;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.transfer.internal.LogExport;
import dev.ralph.transfer.internal.LogImport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;

/** Uses a store in random ways. Each error must have a message for users. */
final class StoreUse {

  private static final int USES = 6;
  private static final Duration MOMENT = Duration.ofMillis(1);
  private static final Pattern CLASS_NAME =
      Pattern.compile("\\b(java|dev|net)(\\.[a-z]+)+\\.[A-Z]\\w+|\\w+Exception\\b");

  private final String kind;
  private final Path store;
  private final Random random;
  private String last = "nothing";

  /**
   * Creates a user of a store.
   *
   * @param kind the kind of the store
   * @param store the folder of the store
   * @param random decides the sequence of uses
   */
  StoreUse(String kind, Path store, Random random) {
    this.kind = kind;
    this.store = store;
    this.random = random;
  }

  /** Returns the name of the last started use. */
  String last() {
    return last;
  }

  /** A way to use a store. */
  private interface Action {
    void run(Ralph ralph, Session session) throws Exception;
  }

  private record Use(String name, Action action) {}

  private final List<Use> uses =
      List.of(
          new Use("message", (ralph, auth) -> auth.inbox().send("one more")),
          new Use("key", (ralph, auth) -> auth.inbox().send(NewMessage.of("again").key("first"))),
          new Use("large message", (ralph, auth) -> auth.inbox().send("l".repeat(70_000))),
          new Use("read a message", (ralph, auth) -> auth.inbox().markRead("m2")),
          new Use("inbox", (ralph, auth) -> auth.inbox().history().forEach(each -> each.text())),
          new Use("task add", (ralph, auth) -> auth.tasks().add("one more")),
          new Use("tasks", (ralph, auth) -> auth.tasks().list().forEach(each -> each.content())),
          new Use("task claim", (ralph, auth) -> claim(auth)),
          new Use("task done", (ralph, auth) -> auth.tasks().complete("t1")),
          new Use("note", (ralph, auth) -> auth.notes().add("learning", "one more")),
          new Use("notes", (ralph, auth) -> auth.notes().list().forEach(each -> each.content())),
          new Use("questions", (ralph, auth) -> auth.questions().history()),
          new Use("ask", (ralph, auth) -> auth.questions().ask("Why?")),
          new Use("iterations", (ralph, auth) -> transcripts(auth)),
          new Use("control", (ralph, auth) -> auth.control().running()),
          new Use("pause", (ralph, auth) -> auth.control().pause()),
          new Use("fork", (ralph, auth) -> auth.fork("forked")),
          new Use("delete", (ralph, auth) -> auth.delete()),
          new Use("delete another", (ralph, auth) -> ralph.session("docs").delete()),
          new Use("erase", (ralph, auth) -> erase()),
          new Use("log", (ralph, auth) -> readAll(ralph, Query.of(TopicFilter.all()))),
          new Use("log back", (ralph, auth) -> readAll(ralph, backward())),
          new Use("topics", (ralph, auth) -> ralph.log().topics(TopicFilter.all())),
          new Use("verify", (ralph, auth) -> ralph.damage()),
          new Use("leftovers", (ralph, auth) -> ralph.log().leftovers()),
          new Use("remove leftovers", (ralph, auth) -> ralph.log().removeLeftovers()),
          new Use("follow", (ralph, auth) -> follow(ralph)),
          new Use("export", (ralph, auth) -> exported(ralph)),
          new Use("import", (ralph, auth) -> importAgain(ralph)));

  /**
   * Opens the store and uses it several times, in two rounds.
   *
   * @throws Exception only if a use failed in a way that it should not
   */
  void run() throws Exception {
    for (int round = 0; round < 2; round++) {
      attempt("open", this::useOnce);
    }
  }

  private void useOnce() throws Exception {
    FrameStore frames = Stores.openExisting(kind, store);
    try (Ralph ralph = Ralph.over(frames)) {
      attempt("sessions", () -> ralph.sessions());
      Session auth = ralph.session("auth");
      attempt("message", () -> auth.inbox().send("hello"));
      for (int i = 0; i < USES; i++) {
        Use use = uses.get(random.nextInt(uses.size()));
        attempt(use.name, () -> use.action.run(ralph, auth));
      }
      attempt("verify", () -> ralph.damage());
    }
  }

  private interface Attempt {
    void run() throws Exception;
  }

  private void attempt(String name, Attempt use) throws Exception {
    last = name;
    try {
      use.run();
    } catch (RalphException e) {
      String message = String.valueOf(e.getMessage());
      if (message.isBlank() || message.equals("null") || CLASS_NAME.matcher(message).find()) {
        throw new AssertionError("no message for users: " + message, e);
      }
    }
  }

  private static void claim(Session auth) {
    for (Claim claim : auth.tasks().claimNext("me", Duration.ofMinutes(1)).stream().toList()) {
      auth.tasks().renew(claim, Duration.ofMinutes(2));
      auth.tasks().release(claim);
    }
  }

  private static void transcripts(Session auth) {
    auth.iterations().usage();
    for (Iteration each : auth.iterations().list()) {
      auth.iterations().transcript(each.number());
    }
  }

  private static Query backward() {
    return Query.of(TopicFilter.all()).backward();
  }

  private static void readAll(Ralph ralph, Query query) {
    try (FrameCursor cursor = ralph.log().read(query)) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        frame.content();
        frame.meta().json();
      }
    }
  }

  private static void follow(Ralph ralph) throws InterruptedException {
    try (Follower follower = ralph.log().follow(Query.of(TopicFilter.all()))) {
      for (int i = 0; i < 5 && follower.poll(MOMENT) != null; i++) {
        follower.position();
      }
    }
  }

  private void erase() {
    try (FrameStore again = Stores.openExisting(kind, store)) {
      again.last(TopicFilter.all()).ifPresent(frame -> again.erase(List.of(frame.id())));
    }
  }

  private Path exported(Ralph ralph) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    LogExport.write(ralph.log(), TopicFilter.all(), out);
    return Files.write(store.resolveSibling("export.ndjson"), out.toByteArray());
  }

  /** Imports a damaged export. */
  private void importAgain(Ralph ralph) {
    try {
      Path file = exported(ralph);
      Adversary.mutateText(file, random);
      LogImport.of(file).into(ralph.log());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
