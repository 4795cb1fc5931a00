package dev.ralph.cli.store;

import dev.ralph.agents.AcpAgent;
import dev.ralph.agents.internal.ClientCheck;
import dev.ralph.cli.call.AcpCommand;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Environment;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.GitFiles;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.cli.call.StoreAddress;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.SafeText;
import dev.ralph.log.Damage;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.store.support.internal.folder.StoreRepository;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** {@code ralph doctor}. */
public final class DoctorCommand implements Command {

  /** The minimum free space in bytes, less than the possible output of an iteration. */
  private static final long LITTLE_ROOM = 32L << 20;

  private enum Verdict {
    OK,
    NOTE,
    BAD
  }

  private record Finding(Verdict verdict, String about, String text) {}

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("check the environment and the store for problems")
        .value("agent", "AGENT", "also check this agent: acp:COMMAND")
        .store();
  }

  @Override
  public void run(Invocation call) {
    List<Finding> findings = new ArrayList<>();
    findings.add(
        new Finding(
            Verdict.OK,
            "java",
            System.getProperty("java.version") + " at " + System.getProperty("java.home")));
    findings.add(launcher(call.environment()));
    findings.add(locale());
    findings.addAll(clients(call.environment()));
    if (call.arguments().has("agent")) {
      findings.add(agent(call.arguments()));
    }
    findings.add(program(call.environment(), "git", "needed by agents that commit"));
    findings.addAll(store(call));
    boolean bad = findings.stream().anyMatch(finding -> finding.verdict() == Verdict.BAD);
    call.exitWith(bad ? ExitCode.FAILED : ExitCode.DONE);
    List<Meta> all = new ArrayList<>();
    for (Finding finding : findings) {
      String verdict = finding.verdict().name().toLowerCase(Locale.ROOT);
      if (call.json()) {
        all.add(
            Meta.of("verdict", verdict)
                .with("about", finding.about())
                .with("text", finding.text()));
      } else {
        String padded = (verdict + "   ").substring(0, 5);
        Style style = call.style();
        call.print(
            (finding.verdict() == Verdict.BAD ? style.bad(padded) : style.good(padded))
                + finding.about()
                + ": "
                + SafeText.line(finding.text()));
      }
    }
    if (call.json()) {
      call.answer("doctor", "findings", all);
    }
  }

  private static Finding launcher(Environment environment) {
    Path launcher = environment.launcher();
    return launcher == null
        ? new Finding(Verdict.NOTE, "launcher", "not used; ralph build needs the script ralph")
        : new Finding(Verdict.OK, "launcher", launcher.toString());
  }

  private static Finding locale() {
    String names = System.getProperty("sun.jnu.encoding", Charset.defaultCharset().name());
    return names.equalsIgnoreCase("UTF-8")
        ? new Finding(Verdict.OK, "locale", names)
        : new Finding(
            Verdict.BAD,
            "locale",
            names + ": file names and text beyond ASCII will be rejected; set LC_ALL=C.UTF-8");
  }

  private static Finding program(Environment environment, String name, String use) {
    Path found = environment.program(name);
    return found == null
        ? new Finding(Verdict.NOTE, name, "not on the PATH; " + use)
        : new Finding(Verdict.OK, name, found.toString());
  }

  /** Checks all clients concurrently, because some clients are slow. */
  private static List<Finding> clients(Environment environment) {
    Map<String, ClientCheck> checks = new TreeMap<>();
    try {
      for (String client : ClientCheck.clients()) {
        Path found = environment.program(client);
        if (found != null) {
          checks.put(client, ClientCheck.start(client, found));
        }
      }
      List<Finding> findings = new ArrayList<>();
      for (String client : ClientCheck.clients()) {
        ClientCheck check = checks.get(client);
        findings.add(
            check == null
                ? program(environment, client, "needed by ralph build --agent " + client)
                : client(client, check.await()));
      }
      return findings;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of(new Finding(Verdict.NOTE, "clients", "interrupted during the check"));
    } finally {
      checks.values().forEach(ClientCheck::close);
    }
  }

  private static Finding client(String name, ClientCheck.Result result) {
    if (!result.works()) {
      return new Finding(Verdict.BAD, name, result.version());
    }
    return switch (result.login()) {
      case YES -> new Finding(Verdict.OK, name, result.version() + ", logged in");
      case NO ->
          new Finding(
              Verdict.NOTE,
              name,
              result.version() + ", not logged in; log in with: " + result.logIn());
      case UNKNOWN ->
          new Finding(
              Verdict.NOTE,
              name,
              result.version()
                  + ", no login found; log in, unless the configuration has a key: "
                  + result.logIn());
    };
  }

  private static Finding agent(Arguments arguments) {
    List<String> command = AcpCommand.of(arguments);
    if (command == null) {
      throw new UsageException(arguments.written("agent", 0) + " supports only acp:COMMAND");
    }
    String name = command.get(0);
    try {
      return new Finding(Verdict.OK, name, AcpAgent.query(command));
    } catch (RalphException e) {
      return new Finding(Verdict.BAD, name, String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Finding(Verdict.NOTE, name, "interrupted during the check");
    }
  }

  private static List<Finding> store(Invocation call) {
    List<Finding> findings = new ArrayList<>();
    StoreAddress address = call.stores().address();
    Path folder = address.directory();
    if (folder != null && Files.notExists(folder)) {
      String gone = StoreAccess.deletedStore(address);
      findings.add(
          new Finding(
              Verdict.NOTE,
              "store",
              "none at "
                  + folder
                  + "; ralph build creates it"
                  + (gone == null ? "" : "; " + gone)));
      return findings;
    }
    try {
      StoreInfo info = call.store().frames().info();
      findings.add(
          new Finding(
              Verdict.OK, "store", info.kind() + " at " + info.location() + ", " + info.storeId()));
      List<Damage> damage = call.store().frames().verify();
      findings.add(
          damage.isEmpty()
              ? new Finding(Verdict.OK, "frames", "no damage")
              : new Finding(
                  Verdict.BAD,
                  "frames",
                  "damaged in "
                      + damage.size()
                      + (damage.size() == 1 ? " place" : " places")
                      + "; see ralph verify"));
      if (folder != null) {
        addFolder(folder, findings);
      }
    } catch (IOException e) {
      findings.add(new Finding(Verdict.NOTE, "disk", "free space is unknown"));
    } catch (RalphException e) {
      findings.add(new Finding(Verdict.BAD, "store", String.valueOf(e.getMessage())));
    }
    return findings;
  }

  private static void addFolder(Path folder, List<Finding> findings) throws IOException {
    String tracked = GitFiles.warning(folder);
    if (tracked != null) {
      findings.add(new Finding(Verdict.BAD, "git", tracked));
    }
    String exposure = StoreRepository.exposure(folder);
    if (exposure != null) {
      findings.add(
          new Finding(
              Verdict.NOTE,
              "git",
              "git clean -fdx and git stash -a would delete the store: " + exposure));
    }
    if (!Files.isWritable(folder)) {
      findings.add(new Finding(Verdict.BAD, "store", "not writable"));
    }
    long room = Files.getFileStore(folder).getUsableSpace();
    if (room < LITTLE_ROOM) {
      findings.add(
          new Finding(
              Verdict.BAD, "disk", "only " + room / 1024 + " KB free on the disk of the store"));
    }
  }
}
