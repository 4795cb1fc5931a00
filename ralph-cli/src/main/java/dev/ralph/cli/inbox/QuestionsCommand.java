package dev.ralph.cli.inbox;

import dev.ralph.Question;
import dev.ralph.Questions;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import java.util.List;

/** {@code ralph questions}. */
public final class QuestionsCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("list the open questions of agents, or show a question")
        .optionalArgument("ID")
        .session()
        .flag("all", "include answered questions")
        .limit("newest")
        .at()
        .store();
  }

  @Override
  public void run(Invocation call) {
    boolean all = call.arguments().has("all");
    Questions log = call.view().questions();
    String ref = call.arguments().argument(0);
    if (ref != null) {
      one(call, log.get(ref));
      return;
    }
    List<Question> questions = all ? log.history() : log.open();
    QuestionForm.LISTING.answer(call, questions, all ? "No questions" : "No open questions");
  }

  private static void one(Invocation call, Question question) {
    if (call.json()) {
      call.answer("question", "question", QuestionForm.whole(question));
    } else {
      call.print(QuestionForm.wholeLine(question, call.style()));
    }
  }
}
