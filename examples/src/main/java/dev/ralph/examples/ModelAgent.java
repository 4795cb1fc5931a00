package dev.ralph.examples;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.LoopResult;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Turn;
import dev.ralph.tool.AgentTools;
import java.util.ArrayList;
import java.util.List;

/**
 * An agent without a process: this program calls a model, and the model calls the session's tools.
 */
public final class ModelAgent implements Agent {

  private static final int MOST_CALLS = 50;

  /** The program's connection to a model, for example a framework or a vendor's client. */
  interface Model {

    /** Returns the model's answer to a conversation. */
    Answer ask(List<String> conversation, List<AgentTools.Definition> tools);
  }

  /**
   * An answer of the model.
   *
   * @param tool the tool to call; empty if the model has finished
   * @param text the arguments of the call as JSON, or the final text of the model
   */
  record Answer(String tool, String text) {}

  private final Model model;

  ModelAgent(Model model) {
    this.model = model;
  }

  @Override
  public AgentResult run(Turn turn) {
    List<String> conversation = new ArrayList<>(List.of(turn.prompt()));
    try (AgentTools tools = turn.openTools()) {
      for (int call = 0; call < MOST_CALLS && !turn.cancelled(); call++) {
        Answer answer = model.ask(conversation, tools.definitions());
        if (answer.tool().isEmpty()) {
          return AgentResult.success().summary(answer.text());
        }
        AgentTools.Result result = tools.call(answer.tool(), answer.text());
        turn.output(answer.tool() + " " + answer.text());
        conversation.add(result.text());
      }
    }
    return AgentResult.failure("the model made " + MOST_CALLS + " calls, or was cancelled");
  }

  /** Completes a task with a scripted model. */
  public static void main(String[] args) {
    List<Answer> script =
        List.of(
            new Answer("task_next", "{}"),
            new Answer("note_add", "{\"type\":\"learning\",\"content\":\"It is quite short\"}"),
            new Answer("task_status", "{\"id\":\"t1\",\"status\":\"completed\"}"),
            new Answer("session_complete", ""),
            new Answer("", "greeted everybody"));
    Model model = (conversation, tools) -> script.get(conversation.size() - 1);
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("example");
      session.tasks().add("Say hello");
      LoopResult result =
          session
              .loop(new ModelAgent(model))
              .onEvent(event -> System.out.println(event.message()))
              .run();
      System.out.println(
          result.reason().word() + ", noted: " + session.notes().list().get(0).content());
    }
  }
}
