package dev.ralph.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Calls the command as a person in a folder would. */
final class Terminal {

  /** What came of a call. */
  record Result(int code, String out, String err) {

    /** Returns the only line of the answer. */
    String line() {
      return out.endsWith("\n") ? out.substring(0, out.length() - 1) : out;
    }
  }

  private final Path folder;
  private final Map<String, String> variables = new HashMap<>();
  private String terminals = "0";

  Terminal(Path folder) {
    this.folder = folder;
  }

  Path folder() {
    return folder;
  }

  Terminal with(String variable, String value) {
    variables.put(variable, value);
    return this;
  }

  /** Says which streams a person looks at; only standard input if this is not called. */
  Terminal terminals(String digits) {
    terminals = digits;
    return this;
  }

  Result call(String... words) {
    return call(InputStream.nullInputStream(), terminals, words);
  }

  Result pipe(String text, String... words) {
    return pipe(text.getBytes(StandardCharsets.UTF_8), words);
  }

  Result pipe(byte[] text, String... words) {
    return call(new ByteArrayInputStream(text), terminals.replace("0", ""), words);
  }

  private Result call(InputStream in, String seen, String... words) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Environment environment =
        Environment.of(variables, in, out, err, folder, folder.resolve("ralph"), seen);
    int code = Cli.run(List.of(words), environment);
    return new Result(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }
}
