package dev.ralph.cli;

import java.util.ArrayList;
import java.util.List;

/** The examples in the help of commands. */
final class HelpExamples {

  /** The examples, one command line per line. */
  static final String TEXT =
      """
      ralph sessions
      ralph status -n auth
      ralph watch -n auth
      ralph watch
      ralph build 'Add a dark mode'
      ralph build -n auth --tasks plan.md --pr
      ralph build -n auth -s specs/auth.md
      ralph build -n auth -p 'Fix the login' --gate 'mvn -q verify' -i 20
      ralph build --tasks plan.md --agents 4 --worktree
      ralph build --change add-login
      ralph work --label linux --sessions 2
      ralph message -n auth 'Do the API first'
      ralph message -n auth --follow-up 'Then update the docs'
      ralph raise -n auth -i 10 --max-cost 5
      ralph pause -n auth
      ralph resume -n auth
      ralph stop -n auth --reason 'wrong branch'
      ralph complete -n auth
      ralph ask -n auth 'Which port?'
      ralph answer -n auth q1 8080
      ralph questions -n auth
      ralph questions -n auth q1
      ralph tasks -n auth --ready
      ralph task add -n auth --priority 1 'Write the form'
      ralph task add -n auth --from plan.md
      ralph task add -n auth --from 'gh:issues?label=ralph'
      ralph task show -n auth t1
      ralph task status -n auth t1 in_progress
      ralph task claim -n auth --next --owner worker-1
      ralph task renew -n auth t1 --token TOKEN --lease 30m
      ralph task release -n auth t1 --token TOKEN
      ralph task done -n auth t1 t2
      ralph task cancel -n auth t3
      ralph task block -n auth t4 'waits for the certificate'
      ralph task edit -n auth t1 --priority 0
      ralph task depend -n auth t2 t1
      ralph task undepend -n auth t2 t1
      ralph notes -n auth --type learning
      ralph note show -n auth n1
      ralph note add -n auth --type learning 'Tests need port 8080'
      ralph note remove -n auth n1
      ralph inbox -n auth --all
      ralph inbox show -n auth m1
      ralph inbox read -n auth m1 m2
      ralph mail send bob --as ann 'The API is ready'
      ralph mail receive --as bob --wait 10s
      ralph mail ack m1 --as bob --token TOKEN
      ralph mail release m1 --as bob --token TOKEN
      ralph mail renew m1 --as bob --token TOKEN --lease 30m
      ralph mail reply m1 --as bob 'Thank you'
      ralph mail ask bob --as ann --wait 5m 'Which port?'
      ralph mail list --as bob
      ralph mail show m1 --as bob
      ralph mail thread m1 --as bob
      ralph mail watch --as bob
      ralph mail boxes
      ralph tx send brain --as core 'Review the plan'
      ralph tx ask brain --as core --wait 5m 'Which port?'
      ralph tx reply q1 8080
      ralph tx deliver --dry-run
      ralph tx status
      ralph tx msg --limit 5
      ralph tx thread q1
      ralph tx orphans
      ralph iterations -n auth
      ralph iterations -n auth --show 3
      ralph cost -n auth --by task
      ralph branch list
      ralph branch diff auth
      ralph branch merge auth
      ralph branch discard auth
      ralph log -n auth --follow
      ralph diff -n auth 1h
      ralph replay -n auth
      ralph doctor
      ralph fork -n auth auth-2
      ralph delete -n auth
      ralph erase -n auth --iteration 3
      ralph compact --before 30d
      ralph export backup.ndjson
      ralph import --create backup.ndjson
      ralph verify
      ralph mcp -n auth
      ralph serve --port 8080
      ralph token add ann --read-only
      ralph token list
      ralph token revoke ann
      ralph init
      ralph trust
      ralph gen-template
      ralph completion bash
      ralph demo
      ralph agent session init --change add-login
      ralph agent session next-story
      ralph agent session flush
      ralph agent session end
      ralph agent session resume --change add-login
      ralph agent session list
      ralph agent context
      ralph agent task done 1.1
      ralph agent status
      ralph agent learn 'Tests need port 8080'
      """;

  private HelpExamples() {}

  /** Returns the examples of a command. */
  static List<String> of(String name) {
    List<String> examples = new ArrayList<>();
    for (String line : TEXT.split("\n")) {
      String call = line.substring("ralph ".length());
      if (call.startsWith(name) && name.equals(Commands.named(List.of(call.split(" "))))) {
        examples.add(line);
      }
    }
    return examples;
  }
}
