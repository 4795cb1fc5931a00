package dev.ralph.cli.project;

import dev.ralph.Gate;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.Session;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.cli.call.StoreAddress;
import dev.ralph.cli.loop.BuildCommand;
import dev.ralph.cli.note.NoteForm;
import dev.ralph.cli.progress.BuildBranch;
import dev.ralph.cli.progress.BuildProgress;
import dev.ralph.cli.progress.Hooks;
import dev.ralph.cli.task.TaskForm;
import dev.ralph.core.CommandAgent;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.log.RalphException;
import dev.ralph.tool.Tools;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * {@code ralph demo}: a whole loop without API key or network. The project, its tasks and its gate
 * are real. The agent is a script that runs the commands found in its prompt.
 */
public final class DemoCommand implements Command {

  private static final String USUAL_NAME = "demo";
  private static final int MOST_ITERATIONS = 10;
  private static final Duration GIT_TIME = Duration.ofSeconds(30);

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("run a complete loop with a scripted agent in a new folder")
        .optionalArgument("FOLDER")
        .value("n", "name", "NAME", "the session (default: " + USUAL_NAME + ")")
        .value("store", "DIR", "the store (default: .ralph/store in the project of the demo)")
        .flag("quiet", "hide the output of the agent")
        .common();
  }

  @Override
  public void run(Invocation call) {
    Path folder = folder(call);
    Path project = folder.resolve("project");
    Path agent = folder.resolve("agent.sh");
    unpack("agent.sh", agent);
    unpack("SPEC.md", project.resolve("specs/SPEC.md"));
    unpack("check.sh", project.resolve("check.sh"));
    write(project.resolve(".gitignore"), ".ralph/\n");
    git(project, "init", "--quiet");
    git(project, "config", "user.name", "The demo's agent");
    git(project, "config", "user.email", "agent@localhost");
    git(project, "config", "commit.gpgsign", "false");
    git(project, "add", "-A");
    git(project, "commit", "--quiet", "-m", "Say what to build");

    String name = call.arguments().has("name") ? call.sessionName() : USUAL_NAME;
    StoreAddress address =
        StoreAddress.of(
            call.arguments().has("store")
                ? call.arguments().text("store")
                : project.resolve(".ralph/store").toString(),
            call.environment());
    try (StoreAccess store = StoreAccess.orNew(address)) {
      Session session = store.session(name);
      session.tasks().add("Write greet.sh");
      session.tasks().add("Write README.md");
      session.tasks().add("Write LICENSE");
      loop(call, session, project, agent, store);
    }
  }

  private static void loop(
      Invocation call, Session session, Path project, Path agent, StoreAccess store) {
    Path launcher = BuildCommand.launcher(call.environment());
    Invocation inside = call.in(project);
    BuildBranch branch = new BuildBranch(inside, null, null);
    BuildProgress progress =
        new BuildProgress(inside, session, store, List.of(), "", branch, MOST_ITERATIONS);
    try (CommandAgent script = CommandAgent.of("sh", agent.toString());
        Loop loop =
            session
                .loop(script)
                .tools(Tools.commands(launcher))
                .directory(project)
                .spec(project.resolve("specs/SPEC.md"))
                .gate(Gate.of("sh", "check.sh"))
                .maxIterations(MOST_ITERATIONS)
                .onEvent(
                    event -> {
                      progress.event(event);
                      interrupt(call, session, event);
                    })
                .build()) {
      BuildCommand.drive(call, loop, script::close, progress, Hooks.none());
      if (!call.json()) {
        print(call, session, project, launcher, store.frames().info().location());
      }
    }
  }

  /** Plays the operator, who asks a question after the first iteration. */
  private static void interrupt(Invocation call, Session session, LoopEvent event) {
    if (event.type() == LoopEvent.Type.ITERATION_ENDED && event.iteration() == 1) {
      String question = "Who are you, by the way?";
      session.inbox().send(question, "operator", "demo-question");
      if (!call.json()) {
        call.print("(the operator sends a message: " + question + ")");
        call.print("");
      }
    }
  }

  private static void print(
      Invocation call, Session session, Path project, Path launcher, String location) {
    call.print("");
    call.print("Commits:");
    call.print(git(project, "log", "--oneline", "--reverse").stripTrailing());
    call.print("");
    call.print("State of the session:");
    session
        .tasks()
        .list()
        .forEach(task -> call.print(TaskForm.line(task, call.style(), call.moment())));
    session.notes().list().forEach(note -> call.print(NoteForm.line(note, call.style())));
    call.print("");
    call.print("Commands to explore the session:");
    String ralph = "  " + CommandLineWords.quote(launcher.toString()) + " ";
    String store = " --store " + CommandLineWords.quote(location);
    for (String command : List.of("status", "iterations", "inbox --all", "notes")) {
      call.print(ralph + command + " --name " + session.name() + store);
    }
    call.print(ralph + "log" + store);
    call.print("  git -C " + CommandLineWords.quote(project.toString()) + " log --stat");
  }

  private static Path folder(Invocation call) {
    String given = call.arguments().argument(0);
    try {
      if (given == null) {
        return Files.createTempDirectory("ralph-demo-").toRealPath();
      }
      Path folder = call.environment().path(given);
      if (Files.exists(folder)) {
        throw RalphException.invalid(
            RalphException.quote(folder.toString()) + " already exists; give a new folder");
      }
      return Files.createDirectories(folder);
    } catch (IOException e) {
      throw RalphException.io("cannot create a folder for the demo: " + e.getMessage(), e);
    }
  }

  private static void unpack(String resource, Path file) {
    try (InputStream in = DemoCommand.class.getResourceAsStream("demo/" + resource)) {
      if (in == null) {
        throw new IllegalStateException("missing in the jar: demo/" + resource);
      }
      Files.createDirectories(file.getParent());
      Files.copy(in, file);
    } catch (IOException e) {
      throw cannotWrite(file, e);
    }
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw cannotWrite(file, e);
    }
  }

  private static RalphException cannotWrite(Path file, IOException e) {
    return RalphException.io("cannot write " + file + ": " + e.getMessage(), e);
  }

  private static String git(Path project, String... arguments) {
    try {
      CommandResult answer = new Git(project, GIT_TIME).run(arguments);
      if (!answer.isGood()) {
        throw RalphException.invalid("git " + arguments[0] + " failed: " + answer.why());
      }
      return answer.output();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RalphException.invalid("interrupted while git ran");
    }
  }
}
