package dev.ralph.cli.inbox;

import dev.ralph.Question;
import dev.ralph.Session;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;

/** {@code ralph ask}, for agents. */
public final class AskCommand implements Command {

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("ask the operator; the answer arrives as a message")
        .optionalArgument("TEXT")
        .session()
        .value("by", "WHO", "author of the question")
        .iteration()
        .store();
  }

  @Override
  public void run(Invocation call) {
    String text = call.textOrPiped(0);
    Session session = call.sessionOrNew();
    Question question =
        session.questions().ask(text, call.arguments().text("by"), call.iteration(session));
    if (call.json()) {
      call.answer("question", "question", QuestionForm.json(question));
    } else {
      call.print("Question q" + question.number() + " recorded; the answer arrives as a message");
    }
  }
}
