package dev.ralph.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.Iteration;
import dev.ralph.NewMessage;
import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.core.internal.host.SessionOffer;
import dev.ralph.core.internal.host.SessionOffers;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.mail.Mailboxes;
import dev.ralph.mail.NewMail;
import dev.ralph.web.LivePage.Listening;
import dev.ralph.web.LivePage.Update;
import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PageTest {

  private static final String EVENTS = "api/feeds?names=auth";

  private final Ralph ralph = Ralph.inMemory();
  private final Session auth = ralph.session("auth");
  private RalphServer server = RalphServer.builder(ralph).build();
  private LivePage page;

  @BeforeEach
  void start() {
    auth.tasks().add("Write the form");
    server.start();
    page = new LivePage(server, server.token("ann"));
  }

  @AfterEach
  void close() {
    server.close();
    ralph.close();
  }

  // ---- live updates

  @Test
  void firstUpdate_hasAllParts() throws Exception {
    try (Listening listening = page.listen(EVENTS, null)) {
      Update first = listening.next();

      assertThat(Objects.requireNonNull(first.data().object("parts")).keys())
          .containsExactlyInAnyOrder(
              "state",
              "needs",
              "tasks",
              "merge",
              "hosts",
              "mail",
              "iterations",
              "messages",
              "questions",
              "notes",
              "costs",
              "gates",
              "now");
      assertThat(first.part("state").string("state")).isEqualTo("idle");
      assertThat(first.part("tasks").objects("items").get(0).string("text"))
          .isEqualTo("Write the form");
    }
  }

  @Test
  void change_isSentToEveryListener() throws Exception {
    try (Listening one = page.listen(EVENTS, null);
        Listening other = page.listen(EVENTS, null)) {
      one.next();
      other.next();

      auth.tasks().add("Check the password");

      for (Listening each : List.of(one, other)) {
        Update update = each.next(next -> next.has("tasks"));
        assertThat(update.part("tasks").integer("total")).hasValue(2);
        assertThat(update.has("notes")).isFalse();
      }
    }
  }

  @Test
  void lateListener_getsNewestParts() throws Exception {
    try (Listening one = page.listen(EVENTS, null)) {
      one.next();
      auth.tasks().complete("t1");
      one.next(next -> next.has("tasks"));

      try (Listening late = page.listen(EVENTS, null)) {
        assertThat(late.next().part("tasks").objects("items").get(0).string("status"))
            .isEqualTo("completed");
      }
    }
  }

  @Test
  void openQuestion_needsAttentionUntilAnswered() throws Exception {
    try (Listening listening = page.listen(EVENTS, null);
        Listening all = page.listen("")) {
      assertThat(listening.next().part("needs").integer("count")).hasValue(0);

      auth.questions().ask("Which port?", "claude", 3);
      Update asked = listening.next(next -> next.has("needs"));
      assertThat(asked.part("needs").objects("needs"))
          .singleElement()
          .satisfies(
              need ->
                  assertThat(Objects.requireNonNull(need.object("question")).string("text"))
                      .isEqualTo("Which port?"));
      all.next(
          next -> next.part("sessions").objects("items").get(0).integer("needs").orElse(0) == 1);

      page.order("auth", Meta.of("order", "answer").with("question", "q1").with("text", "80"));
      listening.next(
          next -> next.has("needs") && next.part("needs").integer("count").orElse(1) == 0);
    }
    assertThat(auth.questions().get("q1").answeredBy()).isEqualTo("ann");
  }

  @Test
  void card_hasFirstQuestionFailureAndLastLine() throws Exception {
    try (Listening all = page.listen("")) {
      all.next();
      auth.questions().ask("Which port?", "claude", 3);
      auth.questions().ask("Which host?", "claude", 3);
      Update asked = all.next(next -> card(next).has("need"));
      Meta question = Objects.requireNonNull(card(asked).object("need")).object("question");
      assertThat(Objects.requireNonNull(question).string("text")).isEqualTo("Which port?");

      auth.questions().answer("q1", "80", "ann");
      auth.questions().answer("q2", "localhost", "ann");
      append("control", Meta.of("action", "loop_start").with("run", "one"), "");
      begin(1);
      Meta end = Meta.of("action", "complete").with("n", 1).with("status", "failure");
      append("iteration", end.with("summary", "no such file"), "");
      Meta ended = Meta.of("action", "loop_end").with("run", "one").with("reason", "failures");
      append("control", ended, "");
      Update failed = all.next(next -> isKind(card(next), "ended"));
      assertThat(card(failed).string("last")).isEqualTo("no such file");
    }
  }

  private static Meta card(Update update) {
    return update.part("sessions").objects("items").get(0);
  }

  private static boolean isKind(Meta card, String kind) {
    Meta need = card.object("need");
    return need != null && kind.equals(need.string("kind"));
  }

  @Test
  void cardOfRunningLoop_hasLastLineOfOutput() throws Exception {
    append(
        "control",
        Meta.of("action", "loop_start").with("host", "blue").with("pid", 47).with("run", "one"),
        "");
    begin(1);
    append("output", Meta.of("iteration", 1), "reading\nwriting Form.java\n\n");

    try (Listening all = page.listen("")) {
      Update first = all.next(next -> card(next).has("last"));
      assertThat(card(first).string("last")).isEqualTo("writing Form.java");
    }
  }

  @Test
  void repeatedRefusal_needsAttention() throws Exception {
    refuse();
    try (Listening listening = page.listen(EVENTS, null)) {
      assertThat(listening.next().part("needs").integer("count")).hasValue(0);

      refuse();

      Meta need = listening.next(next -> next.has("needs")).part("needs").objects("needs").get(0);
      assertThat(need.string("kind")).isEqualTo("refused");
      assertThat(need.integer("times")).hasValue(2);
      assertThat(need.strings("reasons")).containsExactly("gate failed: mvn verify");
    }
  }

  private void refuse() {
    append(
        "control",
        Meta.of("action", "completion_refused").with("reasons", List.of("gate failed: mvn verify")),
        "");
  }

  private void append(String topic, Meta meta, String content) {
    ralph.append(List.of(Draft.of(Topic.of("ralph.auth." + topic), meta, content)));
  }

  @Test
  void reconnectedListener_getsMissedOutput() throws Exception {
    begin(1);
    append("output", Meta.of("iteration", 1), "one");
    String last;
    try (Listening listening = page.listen(EVENTS, null)) {
      Update first = listening.next();
      assertThat(first.data().isTrue("anew")).isTrue();
      assertThat(said(first)).containsExactly("one");
      append("output", Meta.of("iteration", 1), "two");
      Update second = listening.next(next -> !said(next).isEmpty());
      assertThat(said(second)).containsExactly("two");
      last = second.id();
    }
    append("output", Meta.of("iteration", 1), "three");

    server.close(); // as after a restart of the server
    server = RalphServer.builder(ralph).build();
    server.start();
    page = new LivePage(server, server.token("ann"));
    try (Listening listening = page.listen(EVENTS, last)) {
      Update again = listening.next();
      assertThat(again.data().isTrue("anew")).isFalse();
      assertThat(said(again)).containsExactly("three");
    }
    try (Listening listening = page.listen(EVENTS, "auth=0no0such0id000000000000000")) {
      Update anew = listening.next();
      assertThat(anew.data().isTrue("anew")).isTrue();
      assertThat(said(anew)).containsExactly("one", "two", "three");
    }
  }

  private static List<String> said(Update update) {
    return update.data().objects("said").stream().map(piece -> piece.string("text")).toList();
  }

  private void begin(int iteration) {
    append(
        "iteration",
        Meta.of("action", "start").with("n", iteration).with("timestamp", Instant.now().toString()),
        "");
  }

  @Test
  void record_updatesGatesAndClient() throws Exception {
    begin(1);
    try (Listening listening = page.listen(EVENTS, null)) {
      listening.next(next -> next.has("gates") && !next.part("gates").isTrue("reading"));

      append(
          "record",
          Meta.of("iteration", 1),
          """
          {"type":"client","name":"Claude Code","model":"opus"}
          no JSON
          {"type":"gate","name":"mvn verify","passed":false,"exit_code":1,"reason":"red"}
          {"type":"gate","name":"mvn verify","passed":false,"exit_code":1,"reason":"red again"}
          """);

      Update update = listening.next(next -> next.has("gates"));
      Meta gate = update.part("gates").objects("items").get(0);
      assertThat(gate.string("reason")).isEqualTo("red again");
      assertThat(gate.integer("failures")).hasValue(2);
      assertThat(update.part("iterations").objects("items").get(0).string("client"))
          .isEqualTo("Claude Code");
    }
  }

  /** Each agent of a session has the mailbox with its name in the project. */
  @Test
  void agentMail_isShownWithSession() throws Exception {
    Mailboxes.of(ralph, "the shop").box("ann").send(NewMail.of("Not theirs").to("auth 2"));
    Mailboxes boxes = Mailboxes.of(ralph, "auth");
    boxes.box("ann").send(NewMail.of("Ready?").to("bob", "a box"));
    try (Listening listening = page.listen(EVENTS, null)) {
      Update read = listening.next(next -> has(next, "mail", 1));
      assertThat(read.part("mail").objects("items"))
          .singleElement()
          .satisfies(
              mail -> {
                assertThat(mail.string("from")).isEqualTo("ann");
                assertThat(mail.strings("to")).containsExactly("bob", "a box");
                assertThat(mail.string("project")).isEqualTo("auth");
                assertThat(mail.string("state")).isEqualTo("unread");
                assertThat(mail.string("text")).isEqualTo("Ready?");
              });

      boxes.box("a box").receive(Duration.ofMinutes(1)).orElseThrow().ack();
      boxes.box("bob").receive(Duration.ofMinutes(1)).orElseThrow().reply("Not yet");

      Update answered = listening.next(next -> has(next, "mail", 2) && isRead(next));
      Meta answer = answered.part("mail").objects("items").get(0);
      assertThat(answer.string("text")).isEqualTo("Not yet");
      assertThat(answer.isTrue("answer")).isTrue();

      String sign = answered.data().string("sign");
      boxes.box("ann").send(NewMail.of("x".repeat(1_000_000)).to("bob"));
      Update large = listening.next(next -> has(next, "mail", 3));
      assertThat(large.data().json().length()).isLessThan(10_000);
      assertThat(large.data().string("sign")).as("sign unchanged by mail").isEqualTo(sign);

      Mailboxes others = Mailboxes.of(ralph, "other");
      others.box("ann").send(NewMail.of("For somebody else").to("bob"));
      others.session("auth").send(NewMail.of("From its inbox").to("bob"));
      Update own = listening.next(next -> has(next, "mail", 4));
      assertThat(own.part("mail").objects("items").get(0).string("text"))
          .isEqualTo("From its inbox");
    }
  }

  @Test
  void overview_showsAllMail() throws Exception {
    Mailboxes.of(ralph, "shop").box("ann").send(NewMail.of("Ready?").to("bob"));
    try (Listening listening = page.listen("")) {
      listening.next(next -> has(next, "mail", 1));

      Mailboxes.of(ralph, "auth").box("agent-1").send(NewMail.of("Yes").to("agent-2"));

      assertThat(listening.next(next -> has(next, "mail", 2)).part("mail").objects("items"))
          .extracting(each -> each.string("project"))
          .containsExactly("auth", "shop");
    }
  }

  @Test
  void activityBetweenIterations_isShown() throws Exception {
    try (Listening listening = page.listen(EVENTS, null);
        Listening all = page.listen("")) {
      listening.next();
      Meta loop = Meta.of("action", "loop_start").with("host", "there").with("pid", 42);
      append("control", loop.with("run", "one").with("agents", 2), "");
      Update free = listening.next(next -> next.has("now"));
      assertThat(free.part("now").objects("items"))
          .extracting(each -> each.string("doing"))
          .containsExactly("waits for a task", "waits for a task");

      Meta begin = Meta.of("action", "begin").with("run", "one").with("kind", "gate");
      append("activity", begin.with("about", "mvn verify").with("refs", List.of("t1")), "");
      Meta gate =
          listening
              .next(next -> next.has("now") && next.part("now").objects("items").size() == 3)
              .part("now");
      assertThat(gate.objects("items").get(0).string("doing")).isEqualTo("gate mvn verify on t1");
      assertThat(gate.objects("items").get(0).string("since")).isNotNull();
      Update works = all.next(next -> doing(next, "gate mvn verify on t1"));
      assertThat(session(works).isTrue("waits")).isFalse();

      append("activity", begin.with("kind", "rate_limit").with("millis", 60_000), "");
      Update waits = all.next(next -> doing(next, "waits because the client's limit was reached"));
      assertThat(session(waits).isTrue("waits")).isTrue();

      append("control", Meta.of("action", "loop_end").with("reason", "stopped"), "");
      listening.next(next -> next.has("now") && next.part("now").objects("items").isEmpty());
    }
  }

  private static Meta session(Update overview) {
    return overview.part("sessions").objects("items").get(0);
  }

  private static boolean doing(Update overview, String doing) {
    return overview.has("sessions") && doing.equals(session(overview).string("doing"));
  }

  private static boolean has(Update update, String part, int total) {
    return update.has(part) && update.part(part).integer("total").orElse(-1) == total;
  }

  private static boolean isRead(Update mail) {
    return "read".equals(mail.part("mail").objects("items").get(1).string("state"));
  }

  @Test
  void mergeQueueAndRejections_areShown() throws Exception {
    auth.tasks().add("Check the password");
    try (Listening listening = page.listen(EVENTS, null)) {
      assertThat(has(listening.next(), "merge", 0)).isTrue();

      for (String task : List.of("t1", "t2")) {
        claimOnBranch(auth.tasks().get(task));
        auth.tasks().complete(task);
      }
      Update waiting = listening.next(next -> has(next, "merge", 2));
      assertThat(waiting.part("merge").objects("items"))
          .extracting(each -> each.string("branch"))
          .containsExactly("ralph/auth/t1", "ralph/auth/t2");

      append(
          "task",
          Meta.of("action", "status")
              .with("id", auth.tasks().get("t1").id())
              .with("status", "remaining")
              .with("reason", "in conflict: Main.java"),
          "");
      Update sentBack =
          listening.next(next -> next.has("merge") && next.part("merge").json().contains("in"));
      assertThat(sentBack.part("merge").objects("items"))
          .extracting(each -> each.integer("n").orElse(0) + " " + each.string("reason"))
          .containsExactly("2 null", "1 in conflict: Main.java");
    }
  }

  private void claimOnBranch(Task task) {
    append(
        "task",
        Meta.of("action", "claim")
            .with("id", task.id())
            .with("owner", "agent 1")
            .with("until", Instant.now().plusSeconds(60).toString())
            .with("branch", "ralph/auth/t" + task.number()),
        "");
  }

  @Test
  void offersAndHostRemarks_areShown() throws Exception {
    try (Listening listening = page.listen(EVENTS, null)) {
      assertThat(listening.next().part("hosts").keys()).isEmpty();
      SessionOffers offers = SessionOffers.of(ralph);

      offers.put("auth", SessionOffer.anywhere().label("gpu"));
      Update offered = listening.next(next -> next.has("hosts"));
      assertThat(offered.part("hosts").string("offer")).isEqualTo("for hosts with gpu");

      offers.withdraw("auth", "not today");
      Update withdrawn = listening.next(next -> next.has("hosts"));
      assertThat(withdrawn.part("hosts").objects("remarks"))
          .singleElement()
          .satisfies(remark -> assertThat(remark.string("text")).contains("not today"));
    }
  }

  /** Lists all sessions, sorted by their last activity. */
  @Test
  void newSession_appearsInOverview() throws Exception {
    try (Listening all = page.listen("")) {
      all.next();

      ralph.session("billing").tasks().add("Send it");

      Update update = all.next(next -> next.part("sessions").objects("items").size() == 2);
      assertThat(update.part("sessions").objects("items"))
          .extracting(each -> each.string("name"))
          .containsExactly("billing", "auth");
    }
  }

  @Test
  void manyPages_shareSingleReaderThread() throws Exception {
    List<Listening> pages = new ArrayList<>();
    try {
      for (int i = 0; i < 30; i++) {
        pages.add(new LivePage(server, server.token("ann")).listen(EVENTS, null));
      }
      for (Listening each : pages) {
        each.next();
      }
      assertThat(readers()).isEqualTo(1);
      auth.tasks().add("For all");
      for (Listening each : pages) {
        each.next(next -> next.has("tasks"));
      }
    } finally {
      for (Listening each : pages) {
        each.close();
      }
    }
    long until = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (readers() > 0 && System.nanoTime() < until) {
      auth.notes().add("learning", "A server sees that a page is gone when it sends to it");
      Thread.sleep(20);
    }
    assertThat(readers()).isZero();
  }

  private static long readers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("ralph-page-auth"))
        .count();
  }

  @Test
  void slowPage_doesNotDelayFastPage() throws Exception {
    begin(1);
    try (Socket slow = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort());
        Listening quick = page.listen(EVENTS, null)) {
      String request = "GET /" + EVENTS + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ";
      slow.getOutputStream()
          .write((request + server.token("slow") + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
      quick.next();

      for (int i = 0; i < 200; i++) {
        append("output", Meta.of("iteration", 1), "x".repeat(50_000));
      }
      append("output", Meta.of("iteration", 1), "the end");

      Update last = quick.next(next -> said(next).contains("the end"));
      assertThat(last.data().isTrue("anew")).isFalse();
    }
  }

  /**
   * A newly opened page receives a part of ten thousand tasks and can request each of the others.
   */
  @Test
  void largeSession_isSentInWindows() throws Exception {
    List<NewTask> tasks = new ArrayList<>();
    for (int i = 2; i <= 10_000; i++) {
      tasks.add(NewTask.of("Task " + i));
    }
    for (int i = 0; i < tasks.size(); i += 500) {
      auth.tasks().addAll(tasks.subList(i, Math.min(tasks.size(), i + 500)));
    }
    try (Listening listening = page.listen(EVENTS, null)) {
      Update first = listening.next();

      assertThat(first.data().json().length()).isLessThan(50_000);
      assertThat(first.part("tasks").integer("total")).hasValue(10_000);
    }
    Meta window = page.answer("api/sessions/auth/list/tasks?status=ready&from=9950&limit=100");
    assertThat(window.integer("total")).hasValue(10_000);
    assertThat(window.objects("items")).hasSize(50);
    assertThat(window.objects("items").get(49).string("text")).isEqualTo("Task 10000");
  }

  // ---- queries

  @Test
  void past_isShownUnchanged() throws Exception {
    auth.notes().add("learning", "Before");
    Instant before = Instant.now();
    while (!Instant.now().minusMillis(2).isAfter(before)) {
      Thread.onSpinWait(); // frames have millisecond times
    }
    auth.tasks().complete("t1");
    auth.tasks().add("Later");

    Meta past = page.answer("api/sessions/auth/at?time=" + before);
    Meta changes = page.answer("api/sessions/auth/changes?time=" + before);

    Meta parts = Objects.requireNonNull(past.object("parts"));
    assertThat(Objects.requireNonNull(parts.object("tasks")).objects("items"))
        .singleElement()
        .satisfies(task -> assertThat(task.string("status")).isEqualTo("remaining"));
    assertThat(changes.objects("items"))
        .extracting(each -> each.string("ref") + " " + each.string("what"))
        .containsExactly("t1 completed", "t2 added");
  }

  @Test
  void search_findsEveryKindOfItem() throws Exception {
    auth.inbox().send(NewMessage.of("The FORM is too long").by("bob"));
    auth.notes().add("learning", "forms need a label");
    auth.questions().ask("Which form?");
    auth.tasks().add("Something else");

    assertThat(page.answer("api/sessions/auth/search?q=form").objects("found"))
        .extracting(each -> each.string("kind"))
        .containsExactly("task", "message", "question", "note");
    assertThat(page.answer("api/sessions/auth/search?q=%20").objects("found")).isEmpty();
    assertThat(page.answer("api/sessions/auth/search?q=null").objects("found")).isEmpty();
  }

  @Test
  void search_countsAllHitsAndSendsWindows() throws Exception {
    for (int i = 0; i < 90; i++) {
      auth.tasks().add("Fix the footer " + i);
    }
    for (int i = 0; i < 45; i++) {
      auth.notes().add("learning", "The footer is old");
    }
    auth.inbox().send("Look at the FOOTER");

    Meta first = page.answer("api/sessions/auth/search?q=footer");
    assertThat(first.integer("total")).hasValue(136);
    assertThat(kinds(first)).containsOnly("task", "message", "note").hasSize(40 + 1 + 40);
    Meta second = page.answer("api/sessions/auth/search?q=footer&from=40");
    assertThat(second.integer("total")).hasValue(136);
    assertThat(kinds(second)).containsOnly("task", "note").hasSize(40 + 5);
    assertThat(kinds(page.answer("api/sessions/auth/search?q=footer&from=80"))).hasSize(10);
    assertThat(kinds(page.answer("api/sessions/auth/search?q=footer&from=120"))).isEmpty();
  }

  private static List<String> kinds(Meta found) {
    return found.objects("found").stream().map(each -> each.string("kind")).toList();
  }

  @ParameterizedTest
  @CsvSource({
    "failures, failed",
    "gate_failed, failed",
    "cannot_start, failed",
    "no_progress, failed",
    "repository_locked, failed",
    "max_iterations, idle",
    "stopped, idle",
    "one of a newer version, idle",
  })
  void endedRun_decidesState(String reason, String state) throws Exception {
    append("control", Meta.of("action", "loop_start").with("run", "one"), "");
    append("control", Meta.of("action", "loop_end").with("run", "one").with("reason", reason), "");

    try (Listening listening = page.listen(EVENTS, null);
        Listening all = page.listen("")) {
      assertThat(listening.next().part("state").string("state")).isEqualTo(state);
      assertThat(all.next().part("sessions").objects("items").get(0).string("state"))
          .isEqualTo(state);
    }
  }

  @Test
  void record_hasOutputAndReasonOfIteration() throws Exception {
    begin(1);
    append("output", Meta.of("iteration", 1), "old\n".repeat(50_000));
    append("output", Meta.of("iteration", 1).with("continues", true), "cannot ");
    append("output", Meta.of("iteration", 2), "of another one");
    append("output", Meta.of("iteration", 1), "read login.txt");
    Meta end = Meta.of("action", "complete").with("n", 1).with("status", "failure");
    append("iteration", end.with("summary", "exit code 3"), "");

    Meta record = page.answer("api/sessions/auth/record/1");

    Meta output = Objects.requireNonNull(record.object("output"));
    assertThat(output.string("text"))
        .endsWith("old\n\ncannot read login.txt\n")
        .hasSizeBetween(60_000, 70_000);
    assertThat(output.integer("length")).hasValue(200_000 + 1 + "cannot read login.txt\n".length());
    assertThat(Objects.requireNonNull(record.object("iteration")).string("summary"))
        .isEqualTo("exit code 3");
    assertThat(page.answer("api/sessions/auth/record/1?from=1").has("output")).isFalse();
  }

  @Test
  void muchOutput_isSentAsItsNewestPart() throws Exception {
    begin(1);
    try (Listening listening = page.listen(EVENTS, null)) {
      listening.next();
      List<Draft> drafts = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        drafts.add(
            Draft.of(
                Topic.of("ralph.auth.output"),
                Meta.of("iteration", 1),
                ("line " + i + " " + "x".repeat(100) + "\n").repeat(100)));
      }
      ralph.append(drafts);

      Update update = listening.next(next -> next.data().json().contains("line 199 "));
      assertThat(update.data().json().length()).isLessThan(400_000);
    }
  }

  @Test
  void sharedStream_carriesFeedsAndResumesEach() throws Exception {
    Session billing = ralph.session("billing");
    billing.tasks().add("Send the invoice");
    begin(1);
    append("output", Meta.of("iteration", 1), "one");
    String last;
    try (Listening listening = page.listen("api/feeds?names=auth,billing,,nosuch,%2525", null)) {
      Set<String> expected = Set.of("feed auth", "feed billing", "feed ", "refused");
      Set<String> seen = new HashSet<>();
      while (!seen.containsAll(expected)) {
        seen.add(listening.next().event());
      }
      assertThat(seen).isEqualTo(expected);
      billing.tasks().add("Send another one");
      listening.next(
          next ->
              next.event().equals("feed billing")
                  && next.has("tasks")
                  && next.part("tasks").integer("total").orElse(0) == 2);
      auth.notes().add("learning", "The last frame");
      last = listening.next(next -> next.event().equals("feed auth") && next.has("notes")).id();
    }
    append("output", Meta.of("iteration", 1), "two");

    try (Listening again = page.listen("api/feeds?names=auth", last)) {
      Update resumed = again.next();
      while (!said(resumed).contains("two")) {
        assertThat(said(resumed)).isEmpty();
        assertThat(resumed.data().isTrue("anew")).isFalse();
        resumed = again.next();
      }
      assertThat(said(resumed)).containsExactly("two");
    }
    String newcomer = last.replaceAll("auth=[^;]*;?", "");
    try (Listening whole = page.listen("api/feeds?names=auth", newcomer)) {
      Update update = whole.next(next -> next.event().equals("feed auth"));
      assertThat(update.data().isTrue("anew")).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "api/feeds",
        "api/feeds?names=,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,"
      })
  void sharedStream_refusesNoOrTooManyNames(String path) throws Exception {
    assertThat(page.get(path).statusCode()).isEqualTo(400);
  }

  @Test
  void longText_isSentWholeOnRequest() throws Exception {
    String name = "x".repeat(1_000_000) + "<script>";
    auth.tasks().add(name);

    try (Listening listening = page.listen(EVENTS, null)) {
      Update first = listening.next();
      assertThat(first.data().json().length()).isLessThan(50_000);
      assertThat(first.part("tasks").objects("items").get(1).integer("length"))
          .hasValue(name.length());
    }
    assertThat(page.answer("api/sessions/auth/list/tasks/t2").string("text")).isEqualTo(name);
  }

  @Test
  void record_isReadInWindows() throws Exception {
    begin(1);
    append(
        "record",
        Meta.of("iteration", 1).with("type", "begin").with("folder", "/tmp"),
        "p".repeat(5_000));
    append("record", Meta.of("iteration", 1), "{\"type\":\"text\",\"text\":\"Hello\"}");

    Meta all = page.answer("api/sessions/auth/record/1");
    assertThat(all.integer("total")).hasValue(2);
    Meta begin = all.objects("items").get(0);
    assertThat(begin.integer("length")).hasValue(5_000);
    assertThat(begin.string("prompt")).hasSizeLessThan(3_000);
    assertThat(page.answer("api/sessions/auth/record/1?from=1").objects("items"))
        .extracting(each -> each.string("text"))
        .containsExactly("Hello");
    assertThat(page.answer("api/sessions/auth/record/1?prompt=all").objects("items").get(0))
        .satisfies(whole -> assertThat(whole.string("prompt")).hasSize(5_000));
  }

  @Test
  void changesOfIteration_areReadFromRepository(@TempDir Path folder) throws Exception {
    String before = commit(folder, "one", "Say one");
    String after = commit(folder, "two\n<b>", "Say <b>two</b>");
    record(1, before, after);
    record(2, after, after);
    record(3, "--output=stolen", after);
    record(4, "0".repeat(40), after);

    String review = "api/sessions/auth/review?iteration=";
    assertThat(page.answer(review + 1).string("why")).contains("start ralph serve in");
    try (RalphServer here = RalphServer.builder(ralph).repository(folder).build()) {
      here.start();
      LivePage there = new LivePage(here, here.token("ann"));

      Meta changed = there.answer(review + 1);
      assertThat(changed.objects("commits"))
          .singleElement()
          .satisfies(each -> assertThat(each.string("subject")).isEqualTo("Say <b>two</b>"));
      String path = changed.objects("files").get(0).string("path");
      Meta file = there.answer("api/sessions/auth/review/file?iteration=1&path=" + path);
      assertThat(file.string("diff")).contains("-one\n", "+two\n+<b>");
      assertThat(there.answer(review + 2).string("why")).contains("no commit");
      assertThat(there.answer(review + 3).string("why")).contains("lacks the commits");
      assertThat(there.answer(review + 4).string("why")).contains("lacks the commits");
      assertThat(there.get(review + 7).statusCode()).isEqualTo(404);
    }
  }

  private void record(int iteration, String begin, String end) {
    begin(iteration);
    Meta of = Meta.of("iteration", iteration);
    append("record", of.with("type", "begin").with("folder", "/").with("commit", begin), "Do it");
    append("record", of, Meta.of("type", "end").with("commit", end).json());
  }

  /** Commits a file and returns the commit id. */
  private static String commit(Path folder, String text, String subject) throws Exception {
    Files.writeString(folder.resolve("file"), text + "\n");
    git(folder, "init", "--quiet");
    git(folder, "add", "file");
    git(
        folder,
        "-c",
        "user.name=Ann",
        "-c",
        "user.email=ann@localhost",
        "-c",
        "commit.gpgsign=false",
        "commit",
        "--quiet",
        "-m",
        subject);
    return git(folder, "rev-parse", "HEAD").strip();
  }

  private static String git(Path folder, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    Process git =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String output = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(git.waitFor()).as(output).isZero();
    return output;
  }

  @ParameterizedTest
  @CsvSource({
    "api/sessions/auth/review/file?task=--all&path=x, 404",
    "api/sessions/nobody/span, 404",
    "api/sessions/no%20name/span, 400",
    "api/sessions/auth/at, 400",
    "api/sessions/auth/at?time=yesterday, 400",
    "api/sessions/auth/list/files, 400",
    "api/sessions/auth/list/tasks?status=nice, 400",
    "api/sessions/auth/list/tasks?from=-1, 400",
    "api/sessions/auth/list/tasks?from=99999999999, 400",
    "api/sessions/auth/list/tasks/t7, 404",
    "api/sessions/auth/record/7, 404",
    "api/sessions/auth/record/seven, 400",
    "api/sessions/auth/search, 400",
    "api/sessions/auth/orders, 405",
  })
  void invalidRequest_isRefused(String path, int status) throws Exception {
    assertThat(page.get(path).statusCode()).isEqualTo(status);
  }

  // ---- orders

  @Test
  void orders_areLoggedWithTheirAuthor() throws Exception {
    List<Meta> before = changes();
    order(Meta.of("order", "message").with("text", "Do the API first").with("key", "k"));
    order(Meta.of("order", "message").with("text", "Do the API first").with("key", "k"));
    order(
        Meta.of("order", "add")
            .with("text", "Deploy")
            .with("priority", 0)
            .with("depends", List.of("t1")));
    order(Meta.of("order", "edit").with("task", "t1").with("text", "Write it"));
    order(Meta.of("order", "status").with("task", "t1").with("status", "cancelled"));
    order(Meta.of("order", "pause"));

    assertThat(auth.inbox().history())
        .singleElement()
        .satisfies(message -> assertThat(message.by()).isEqualTo("ann"));
    assertThat(auth.tasks().get("t2").priority()).isZero();
    assertThat(auth.tasks().get("t2").dependencies()).hasSize(1);
    assertThat(auth.tasks().get("t1").content()).isEqualTo("Write it");
    assertThat(auth.tasks().get("t1").status()).isEqualTo(Task.Status.CANCELLED);
    assertThat(auth.control().isPaused()).isTrue();
    order(Meta.of("order", "resume"));
    assertThat(auth.control().isPaused()).isFalse();
    List<Meta> changes = changes();
    assertThat(changes.subList(before.size(), changes.size()))
        .hasSize(5)
        .allSatisfy(change -> assertThat(change.string("by")).isEqualTo("ann"));
  }

  private List<Meta> changes() {
    List<Meta> changes = new ArrayList<>();
    TopicFilter changed =
        TopicFilter.of(Topic.of("ralph.auth.task"), Topic.of("ralph.auth.control"));
    try (FrameCursor frames = ralph.log().read(Query.of(changed))) {
      for (Frame frame = frames.next(); frame != null; frame = frames.next()) {
        changes.add(frame.meta());
      }
    }
    return changes;
  }

  @Test
  void raise_extendsRunningLoop() throws Exception {
    Meta more = Meta.of("order", "raise").with("iterations", 2).with("tokens", 100);
    assertThat(page.order("auth", more).statusCode()).as("without a running loop").isEqualTo(400);

    int begun =
        auth.loop(
                turn -> {
                  if (turn.iteration() == 1) {
                    order(more);
                  }
                  return AgentResult.success();
                })
            .maxIterations(1)
            .run()
            .iterations();

    assertThat(begun).isEqualTo(3);
  }

  private void order(Meta order) throws Exception {
    assertThat(page.order("auth", order).statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "{}; 400",
        "{\"order\":\"burn\"}; 400",
        "{\"order\":\"raise\"}; 400",
        "{\"order\":\"raise\",\"iterations\":-1}; 400",
        "{\"order\":\"raise\",\"cost_usd\":-1}; 400",
        "{\"order\":\"message\"}; 400",
        "{\"order\":\"message\",\"text\":\" \"}; 400",
        "{\"order\":\"add\",\"text\":\"x\",\"priority\":9}; 400",
        "{\"order\":\"add\",\"text\":\"x\",\"priority\":\"high\"}; 400",
        "{\"order\":\"add\",\"text\":\"x\",\"depends\":[\"t9\"]}; 404",
        "{\"order\":\"edit\",\"task\":\"t9\",\"text\":\"x\"}; 404",
        "{\"order\":\"status\",\"task\":\"t1\",\"status\":\"nice\"}; 400",
        "{\"order\":\"answer\",\"question\":\"q1\",\"text\":\"x\"}; 404",
      })
  void invalidOrder_isRefusedWithoutChange(String order, int status) throws Exception {
    assertThat(page.order("auth", Meta.parse(order)).statusCode()).isEqualTo(status);

    assertThat(auth.tasks().list())
        .singleElement()
        .satisfies(task -> assertThat(task.content()).isEqualTo("Write the form"));
    assertThat(auth.inbox().history()).isEmpty();
  }

  @Test
  void readOnlyToken_givesNoOrders() throws Exception {
    LivePage guest = new LivePage(server, server.readOnlyToken("guest"));

    assertThat(guest.order("auth", Meta.of("order", "pause")).statusCode()).isEqualTo(403);
    assertThat(guest.answer("api/hello").isTrue("read_only")).isTrue();
    assertThat(auth.control().isPaused()).isFalse();
  }

  @Test
  void runningIterationWithoutLoop_isInterrupted() throws Exception {
    begin(1);

    assertThat(page.answer("api/sessions/auth/list/iterations").objects("items"))
        .singleElement()
        .satisfies(
            each ->
                assertThat(each.string("status")).isEqualTo(Iteration.Status.INTERRUPTED.word()));
  }

  /** The compressed files that a browser loads have at most 32 KB in total. */
  @Test
  void filesOfPage_areSmall() throws Exception {
    List<String> files = filesOf(page.get("").body());
    assertThat(files).hasSize(2);
    int length = page.packed("").body().length;
    for (String file : files) {
      HttpResponse<byte[]> packed = page.packed(file);
      byte[] whole = new GZIPInputStream(new ByteArrayInputStream(packed.body())).readAllBytes();
      String text = new String(whole, StandardCharsets.UTF_8);
      assertThat(text).isEqualTo(page.get(file).body());
      assertThat(text)
          .doesNotContain("innerHTML")
          .doesNotContain("insertAdjacentHTML")
          .doesNotContain("eval(");
      length += packed.body().length;
    }

    assertThat(length).isBetween(10_000, 40_000);
    assertThat(page.get("").headers().firstValue("Content-Type"))
        .hasValue("text/html; charset=utf-8");
  }

  @Test
  void files_areCachedByVersionOfServer() throws Exception {
    List<String> files = filesOf(page.get("").body());
    files.addAll(filesOf(page.get("enter").body()));
    assertThat(files).hasSize(4);
    for (String file : files) {
      assertThat(cacheControl(file)).contains("immutable");
      assertThat(cacheControl(file + "1")).isEqualTo("no-store");
      assertThat(cacheControl(file.substring(0, file.indexOf('?')))).isEqualTo("no-store");
    }
    for (String path : List.of("", "enter", "api/hello", "transport.js")) {
      assertThat(cacheControl(path)).isEqualTo("no-store");
    }
    try (RalphServer next = RalphServer.builder(ralph).build()) {
      next.start();
      LivePage other = new LivePage(next, next.token("ann"));
      assertThat(filesOf(other.get("").body())).doesNotContainAnyElementsOf(files);
    }
  }

  /** Returns the scripts and styles of an HTML page. */
  private static List<String> filesOf(String html) {
    List<String> files = new ArrayList<>();
    Matcher links = Pattern.compile("(?:src|href)=\"(\\w+\\.(?:js|css)[^\"]*)").matcher(html);
    while (links.find()) {
      files.add(links.group(1));
    }
    return files;
  }

  private String cacheControl(String path) throws Exception {
    return page.get(path).headers().firstValue("Cache-Control").orElseThrow();
  }
}
