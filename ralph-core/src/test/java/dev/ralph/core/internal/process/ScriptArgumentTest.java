package dev.ralph.core.internal.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScriptArgumentTest {

  @ParameterizedTest
  @CsvSource({
    "sh x.sh, x.sh",
    "/bin/bash ./x.sh a b, ./x.sh",
    "bash -eu -o pipefail scripts/x.sh, scripts/x.sh",
    "bash --norc x.sh, x.sh",
    "dash x, x",
    "zsh -f x, x",
    "python x.py, x.py",
    "python3 -u -W ignore x.py y.py, x.py",
    "/usr/bin/python3.11 x.py, x.py",
    "node x.js, x.js",
    "node --import ./hook.js x.js, x.js",
    "node --no-warnings x.js, x.js",
    "deno run -A --allow-read=. x.ts, x.ts",
    "bun x.ts, x.ts",
    "ruby -w x.rb, x.rb",
    "perl -I lib x.pl, x.pl",
    "env A=1 B= sh x.sh, x.sh",
    "sh,",
    "sh /x.sh,",
    "sh -c x.sh,",
    "bash -ec x.sh y.sh,",
    "sh -s x.sh,",
    "sh - x.sh,",
    "python -m x y.py,",
    "python -c x y.py,",
    "node -e x y.js,",
    "node --eval x y.js,",
    "perl -ne x y.pl,",
    "ruby -e x y.rb,",
    "env -i sh x.sh,",
    "env A=1,",
    "make x.sh,",
    "./sh.sh x.sh,",
    "shellcheck x.sh,"
  })
  void command_hasItsScript(String line, @Nullable String path) {
    ScriptArgument script = ScriptArgument.of(List.of(line.split(" ")));

    assertThat(script).isEqualTo(path == null ? null : new ScriptArgument(path));
  }
}
