package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.AgentResult;
import dev.ralph.LoopResult;
import dev.ralph.NewMessage;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.ToolSettings;
import dev.ralph.log.Meta;
import dev.ralph.tool.AgentTools;
import dev.ralph.tool.AgentTools.Call;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims of completion by a model that may have called before it was shown a message. */
class SessionCompleteWordTest {

  private static final Pattern WORD = Pattern.compile("session_complete with word ([a-z]{6})\\.");

  private final Ralph ralph = Ralph.inMemory();
  private final Session session = ralph.session("s");
  private final AgentTools tools = session.openTools();

  @AfterEach
  void close() {
    tools.close();
    ralph.close();
  }

  private static AgentTools.Result complete(AgentTools tools, String word) {
    return tools.call("session_complete", word == null ? "" : "{\"word\":\"" + word + "\"}");
  }

  /** Returns the reply to a call that must be refused. */
  private static String refusal(AgentTools.Result result) {
    assertThat(result.isError()).as(result.text()).isTrue();
    return result.text();
  }

  private static void assertTaken(AgentTools.Result result) {
    assertThat(result.isError()).as(result.text()).isFalse();
    assertThat(result.text()).startsWith("Session \"s\" marked complete.");
  }

  private static String word(String shown) {
    Matcher word = WORD.matcher(shown);
    assertThat(word.find()).as(shown).isTrue();
    return word.group(1);
  }

  @Test
  void laterCall_doesNotMarkAMessageRead() {
    session.inbox().send("Stop at once");
    assertThat(tools.call("task_list", "").text())
        .contains(": Stop at once\n(Call inbox_mark_read with its ID after reading.)");

    String refused = refusal(complete(tools, null));

    assertThat(session.inbox().unread()).hasSize(1);
    assertThat(refused)
        .contains("1 message is not read yet: m1 Stop at once")
        .contains("## MESSAGE FROM THE OPERATOR (not read yet: take this into account now)")
        .containsOnlyOnce(": Stop at once\n");
    assertTaken(complete(tools, word(refused)));
    assertThat(session.inbox().unread()).isEmpty();
  }

  @Test
  void concurrentCompletions_getTheSameWord() {
    session.inbox().send("Stop at once");
    List<Call> turn = new ArrayList<>();
    for (String word : List.of("", "bababa", "stop")) {
      turn.add(tools.begin("session_complete", Meta.of("word", word)));
    }
    List<String> words = new ArrayList<>();
    for (Call call : turn) {
      words.add(word(refusal(call.run())));
      call.answered();
    }

    assertThat(words).hasSize(3).containsOnly(words.get(0));
    assertThat(session.inbox().unread()).hasSize(1);
    assertTaken(complete(tools, words.get(0)));
    assertTaken(complete(tools, words.get(0)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"%S", " %s. ", "\\\"%s\\\"", "word: %s"})
  void word_isAcceptedInUsualNotations(String form) {
    session.inbox().send("Stop at once");
    String word = word(refusal(complete(tools, null)));
    AgentTools.Result result = complete(tools, String.format(form, word));
    if (form.startsWith("word")) {
      assertThat(word(refusal(result))).isEqualTo(word);
    } else {
      assertTaken(result);
    }
  }

  @Test
  void newerMessage_needsANewWord() {
    session.inbox().send("one");
    String first = word(refusal(complete(tools, null)));
    session.inbox().send("two");

    String refused = refusal(complete(tools, first));

    assertThat(refused).contains(": one\n", ": two\n");
    assertThat(session.inbox().unread()).hasSize(2);
    assertThat(word(refused)).isNotEqualTo(first);
    assertTaken(complete(tools, word(refused)));
  }

  @Test
  void sameTextInNewMessage_needsANewWord() {
    session.inbox().send("one");
    String first = word(refusal(complete(tools, null)));
    session.inbox().markRead("m1");
    session.inbox().send("one");
    assertThat(word(refusal(complete(tools, first)))).isNotEqualTo(first);
  }

  @Test
  void markedMessage_needsNoWord() {
    session.inbox().send("one");
    String word = word(refusal(complete(tools, null)));
    tools.call("inbox_mark_read", "{\"id\":\"m1\"}");
    assertTaken(complete(tools, word));
  }

  @Test
  void openTask_stillShowsTheWord() {
    session.tasks().add("Write the form");
    session.inbox().send("one");
    String word = word(refusal(complete(tools, null)));
    assertThat(refusal(complete(tools, word)))
        .contains("1 task is still open")
        .doesNotContain("not read yet");
    tools.call("task_status", "{\"id\":\"t1\",\"status\":\"completed\"}");
    assertTaken(complete(tools, null));
  }

  @Test
  void cutMessage_hasNoWordBeforeTheEndIsShown() {
    session.inbox().send("x".repeat(9_000) + " the end of it");
    assertThat(tools.call("task_list", "").text()).doesNotContain("the end of it");
    String refused = refusal(complete(tools, null));
    assertThat(refused)
        .doesNotContain("with word")
        .endsWith("(Read m1 to the end first: inbox_list with the id, then inbox_mark_read.)");

    assertThat(tools.call("inbox_list", "{\"id\":\"m1\"}").text())
        .endsWith("\n(1016 more characters: call inbox_list with id m1 and offset 7998)");
    // A call in the same turn as the call that shows the last part.
    Call lists = tools.begin("inbox_list", Meta.of("id", "m1").with("offset", 7998));
    Call early = tools.begin("session_complete", Meta.empty());
    assertThat(lists.run().text()).endsWith("the end of it");
    assertThat(refusal(early.run())).doesNotContain("with word");
    lists.answered();
    early.answered();

    String shown = refusal(complete(tools, null));
    assertThat(shown).contains("xxx… (you have already seen the full text)").hasSizeLessThan(1_000);
    assertTaken(complete(tools, word(shown)));
  }

  @Test
  void middlePart_doesNotShowTheEnd() {
    session.inbox().send("x".repeat(20_000));
    tools.call("inbox_list", "{\"id\":\"m1\"}");
    tools.call("inbox_list", "{\"id\":\"m1\",\"offset\":7999}");
    assertThat(refusal(complete(tools, null))).doesNotContain("with word");
    tools.call("inbox_list", "{\"id\":\"m1\",\"offset\":15998}");
    assertTaken(complete(tools, word(refusal(complete(tools, null)))));
  }

  @Test
  void unansweredPart_doesNotShowTheEnd() {
    session.inbox().send("x".repeat(9_000));
    tools.begin("inbox_list", Meta.of("id", "m1").with("offset", 5000)).run();
    assertThat(refusal(complete(tools, null))).doesNotContain("with word");
  }

  /**
   * Codex cuts the middle out of texts of more than 12,000 bytes, and hides the place of the cut.
   */
  @ParameterizedTest
  @ValueSource(strings = {"x", "\n", "\u00e9", "\u5b57", "\ud83d\ude00", "a\u5b57\n\n"})
  void textClientsMayCut_doesNotCountAsShown(String letters) {
    String text = "begin " + letters.repeat(20_000 / letters.length()) + " end";
    session.inbox().send(text);
    session.inbox().send("begin " + letters.repeat(3_900 / letters.length()) + " end");
    StringBuilder shown = new StringBuilder();
    int offset = 0;
    Matcher more;
    do {
      String part = tools.call("inbox_list", "{\"id\":\"m1\",\"offset\":" + offset + "}").text();
      assertThat(part.getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(9_000);
      more = Pattern.compile("\n\\(\\d+ more .* and offset (\\d+)\\)$").matcher(part);
      shown.append(part);
      offset = more.find() ? Integer.parseInt(more.group(1)) : -1;
    } while (offset > 0);
    assertThat(shown).endsWith(" end");

    String refused = refusal(complete(tools, null));

    if (WORD.matcher(refused).find()) {
      assertThat(refused.getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(11_000);
      assertThat(refused).contains("(you have already seen the full text)");
      if (refused.contains("m2")) {
        complete(tools, word(refused));
        assertThat(session.inbox().get("m1").isRead()).isTrue();
      }
    } else {
      assertThat(refused).contains("(Read m2 to the end first");
    }
  }

  @Test
  void cutMessage_canBeMarkedAsRead() {
    session.inbox().send("x".repeat(9_000));
    refusal(complete(tools, null));
    tools.call("inbox_mark_read", "{\"id\":\"m1\"}");
    assertTaken(complete(tools, null));
  }

  @Test
  void manyMessages_areConfirmedInParts() {
    for (int i = 1; i <= 20; i++) {
      session.inbox().send("message " + i + " " + "x".repeat(1_000));
    }
    String word = null;
    int refusals = 0;
    AgentTools.Result result = complete(tools, word);
    while (result.isError() && refusals < 10) {
      refusals++;
      assertThat(result.text()).hasSizeLessThan(11_000);
      result = complete(tools, word(result.text()));
    }
    assertTaken(result);
    assertThat(refusals).isEqualTo(3); // with 7, 7 and 6 messages
  }

  @Test
  void messageHeldByDifferentTools_isNotConfirmed() {
    session.inbox().send("one");
    try (AgentTools other = session.openTools()) {
      String word = word(refusal(complete(other, null)));

      assertThat(refusal(complete(tools, word)))
          .contains("1 message is not read yet")
          .doesNotContain("with word");
      assertThat(session.inbox().unread()).hasSize(1);
      assertTaken(complete(other, word));
    }
  }

  @Test
  void followUpMessage_hasNoWordInThisIteration() {
    LoopResult result =
        session
            .loop(
                turn -> {
                  try (AgentTools ours = turn.openTools()) {
                    if (turn.iteration() == 1) {
                      session.inbox().send(NewMessage.of("Then the logs").followUp(true));
                      assertThat(refusal(complete(ours, null)))
                          .contains("m1 Then the logs")
                          .doesNotContain("with word");
                    } else {
                      assertThat(turn.prompt()).contains("Then the logs");
                      assertTaken(complete(ours, word(refusal(complete(ours, null)))));
                    }
                  }
                  return AgentResult.success();
                })
            .maxIterations(3)
            .run();
    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(result.iterations()).isEqualTo(2);
  }

  @Test
  void shownButUnmarkedMessage_isInTheNextPrompt() {
    List<String> prompts = new ArrayList<>();
    session
        .loop(
            turn -> {
              prompts.add(turn.prompt());
              try (AgentTools ours = turn.openTools()) {
                if (turn.iteration() == 1) {
                  session.inbox().send("Careful");
                  assertThat(ours.call("task_list", "").text()).contains("Careful");
                  assertThat(ours.call("task_list", "").text()).doesNotContain("Careful");
                }
              }
              return AgentResult.success();
            })
        .maxIterations(2)
        .run();
    assertThat(prompts.get(1)).contains("Careful");
  }

  @Test
  void failedIteration_makesMessagesUnreadAgain() {
    LoopResult result =
        session
            .loop(
                turn -> {
                  try (AgentTools ours = turn.openTools()) {
                    session.inbox().send("Careful");
                    assertTaken(complete(ours, word(refusal(complete(ours, null)))));
                  }
                  return AgentResult.failure("crash");
                })
            .maxFailures(1)
            .run();
    assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
    assertThat(session.inbox().unread()).hasSize(1);
  }

  @Test
  void shortMessageLease_stillAllowsCompletion() {
    try (AgentTools ours =
        session.openTools(ToolSettings.STANDARD.messageLease(Duration.ofMillis(1)))) {
      session.inbox().send("one");
      ours.call("task_list", "");
      assertTaken(complete(ours, word(refusal(complete(ours, null)))));
    }
  }
}
