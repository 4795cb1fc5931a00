package dev.ralph.cli.inbox;

import dev.ralph.Question;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;

/** {@code ralph answer}. */
public final class AnswerCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("answer a question; the agent receives the answer as a message")
        .argument("ID")
        .optionalArgument("TEXT")
        .session()
        .value("by", "WHO", "author of the answer")
        .store();
  }

  @Override
  public void run(Invocation call) {
    String ref = call.arguments().requiredArgument(0);
    Question question =
        call.session().questions().answer(ref, call.textOrPiped(1), call.arguments().text("by"));
    if (call.json()) {
      call.answer("question", "question", QuestionForm.json(question));
    } else {
      call.print("Question " + ref + " answered");
    }
  }
}
