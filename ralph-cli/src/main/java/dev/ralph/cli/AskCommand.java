package dev.ralph.cli;

import dev.ralph.Question;
import dev.ralph.Session;

/** {@code ralph ask}: for agents. */
final class AskCommand implements Command {

  @Override
  public Syntax syntax() {
    return Syntax.of("ask the operator; the answer comes as a message")
        .optionalArgument("TEXT")
        .session()
        .value("by", "WHO", "who asks")
        .iteration()
        .store();
  }

  @Override
  public int run(Invocation call) {
    String text = call.textOrPiped(0);
    Session session = call.sessionOrNew();
    Question question =
        session.questions().ask(text, call.arguments().text("by"), call.iteration(session));
    if (call.json()) {
      call.answer("question", "question", QuestionForm.json(question));
    } else {
      call.print("Question q" + question.number() + " recorded; the answer comes as a message");
    }
    return ExitCode.DONE;
  }
}
