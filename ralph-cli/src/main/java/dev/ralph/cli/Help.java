package dev.ralph.cli;

import org.apache.commons.cli.Option;

/** Says how the command is used. Looks at no store and changes nothing. */
final class Help {

  private static final int NAME_WIDTH = 15;

  private Help() {}

  static int overview(Environment environment) {
    Output out = environment.out();
    out.line("ralph: one log, one loop, for coding agents");
    out.line("");
    out.line("  ralph build -n auth -s specs/auth.md     run an agent until the work is done");
    out.line("  ralph message -n auth 'Do the API first'  tell it something while it runs");
    out.line("  ralph status -n auth                      see how far it is");
    out.line("");
    out.line("Commands:");
    for (String name : Commands.NAMES) {
      Command command = Commands.create(name);
      if (command != null) {
        out.line("  " + padded(name, NAME_WIDTH) + command.syntax().summary());
      }
    }
    out.line("");
    out.line("ralph COMMAND --help shows a command's options.");
    return ExitCode.DONE;
  }

  static int of(Environment environment, String name, Syntax syntax) {
    Output out = environment.out();
    StringBuilder usage = new StringBuilder("ralph ").append(name);
    for (int i = 0; i < syntax.positionals().size(); i++) {
      String argument = syntax.positionals().get(i);
      usage.append(i < syntax.required() ? " " + argument : " [" + argument + "]");
    }
    out.line(usage.append(" [options]").toString());
    out.line("  " + syntax.summary());
    out.line("");
    out.line("Options:");
    int width = 0;
    for (Option option : syntax.inOrder()) {
      width = Math.max(width, written(option).length() + 2);
    }
    for (Option option : syntax.inOrder()) {
      out.line("  " + padded(written(option), width) + option.getDescription());
    }
    return ExitCode.DONE;
  }

  private static String written(Option option) {
    String letter = option.getOpt() == null ? "    " : "-" + option.getOpt() + ", ";
    String value = option.hasArg() ? " " + option.getArgName() : "";
    return letter + "--" + option.getLongOpt() + value;
  }

  private static String padded(String text, int width) {
    return text + " ".repeat(Math.max(1, width - text.length()));
  }
}
