package dev.ralph.cli;

import dev.ralph.Damage;
import dev.ralph.Meta;
import dev.ralph.RalphException;
import dev.ralph.StoreInfo;
import dev.ralph.cli.text.Harmless;
import java.io.File;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.annotation.Nullable;

/** {@code ralph doctor}. */
final class DoctorCommand implements Command {

  private enum Verdict {
    OK,
    NOTE,
    BAD
  }

  private record Finding(Verdict verdict, String about, String text) {}

  @Override
  public Syntax syntax() {
    return Syntax.of("look at the environment and the store, and say what is wrong").store();
  }

  @Override
  public int run(Invocation call) {
    List<Finding> findings = new ArrayList<>();
    findings.add(
        new Finding(
            Verdict.OK,
            "java",
            System.getProperty("java.version") + " at " + System.getProperty("java.home")));
    findings.add(launcher(call.environment()));
    findings.add(locale());
    findings.add(program(call.environment(), "opencode", "ralph build --agent opencode needs it"));
    findings.add(program(call.environment(), "git", "agents that commit need it"));
    findings.addAll(store(call));
    boolean bad = false;
    List<Meta> all = new ArrayList<>();
    for (Finding finding : findings) {
      bad |= finding.verdict() == Verdict.BAD;
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
                + Harmless.line(finding.text()));
      }
    }
    if (call.json()) {
      call.answer("doctor", "findings", all);
    }
    return bad ? ExitCode.FAILED : ExitCode.DONE;
  }

  private static Finding launcher(Environment environment) {
    Path launcher = environment.launcher();
    return launcher == null
        ? new Finding(Verdict.NOTE, "launcher", "none; ralph build needs the script ralph")
        : new Finding(Verdict.OK, "launcher", launcher.toString());
  }

  private static Finding locale() {
    String names = System.getProperty("sun.jnu.encoding", Charset.defaultCharset().name());
    return names.equalsIgnoreCase("UTF-8")
        ? new Finding(Verdict.OK, "locale", names)
        : new Finding(
            Verdict.BAD,
            "locale",
            names + ": names and text beyond ASCII will be refused; set LC_ALL=C.UTF-8");
  }

  private static Finding program(Environment environment, String name, String use) {
    Path found = find(environment, name);
    return found == null
        ? new Finding(Verdict.NOTE, name, "not on the PATH; " + use)
        : new Finding(Verdict.OK, name, found.toString());
  }

  @Nullable
  private static Path find(Environment environment, String name) {
    String path = environment.variable("PATH");
    for (String folder : path == null ? new String[0] : path.split(File.pathSeparator)) {
      Path program = environment.path(folder).resolve(name);
      if (Files.isRegularFile(program) && Files.isExecutable(program)) {
        return program;
      }
    }
    return null;
  }

  private static List<Finding> store(Invocation call) {
    List<Finding> findings = new ArrayList<>();
    StoreAddress address = call.storeAddress();
    if (!Files.exists(address.directory())) {
      findings.add(
          new Finding(
              Verdict.NOTE, "store", "none at " + address.directory() + "; ralph build makes it"));
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
      if (!Files.isWritable(address.directory())) {
        findings.add(new Finding(Verdict.BAD, "store", "it can't be written to"));
      }
    } catch (RalphException e) {
      findings.add(new Finding(Verdict.BAD, "store", String.valueOf(e.getMessage())));
    }
    return findings;
  }
}
