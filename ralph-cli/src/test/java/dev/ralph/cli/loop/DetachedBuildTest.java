package dev.ralph.cli.loop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ralph.Ralph;
import dev.ralph.cli.Terminal;
import dev.ralph.core.internal.host.OfferedSession;
import dev.ralph.core.internal.host.SessionOffer;
import dev.ralph.core.internal.host.SessionOffers;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sessions that {@code ralph build --detach} offers to hosts. */
class DetachedBuildTest {

  @TempDir Path temporary;
  private Path folder;
  private Terminal terminal;

  @BeforeEach
  void repository() throws Exception {
    folder = Files.createDirectory(temporary.resolve("project"));
    terminal = new Terminal(folder);
    git("init", "--quiet", "-b", "main");
    git("config", "user.name", "Somebody");
    git("config", "user.email", "somebody@example.org");
    Files.createDirectory(folder.resolve("specs"));
    Files.writeString(folder.resolve("specs/auth.md"), "# Login\n");
    Files.writeString(folder.resolve(".gitignore"), ".ralph\n");
    git("add", ".");
    git("commit", "--quiet", "-m", "first");
  }

  private String git(String... arguments) throws InterruptedException {
    CommandResult answer = new Git(folder, Duration.ofMinutes(2)).run(arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
    return answer.line();
  }

  private String run(String... words) {
    Terminal.Result result = terminal.call(words);
    assertThat(result.code()).as(result.err()).isZero();
    return result.out();
  }

  private String refused(String... words) {
    Terminal.Result result = terminal.call(words);
    assertThat(result.code()).as(result.out()).isNotZero();
    return result.err();
  }

  private OfferedSession offered(String session) {
    try (Ralph ralph = Ralph.openExisting(folder.resolve(".ralph/store"))) {
      return SessionOffers.of(ralph).find(session).orElseThrow();
    }
  }

  @Test
  void detachedBuild_offersCommitAndOptions() throws Exception {
    String commit = git("rev-parse", "HEAD");
    Files.writeString(folder.resolve("plan.md"), "- [ ] Write the form\n");
    git("add", ".");
    git("commit", "--quiet", "-m", "plan");

    String said =
        run(
            "build",
            "-n",
            "auth",
            "-s",
            "specs/auth.md",
            "--tasks",
            "plan.md",
            "--label",
            "gpu",
            "--detach");

    SessionOffer offer = offered("auth").offer();
    assertThat(offer.repository()).isEqualTo(folder.toRealPath().toString());
    assertThat(offer.branch()).isEqualTo("main");
    assertThat(offer.commit()).isEqualTo(git("rev-parse", "HEAD")).isNotEqualTo(commit);
    assertThat(offer.labels()).containsExactly("gpu");
    assertThat(offer.spec()).isEqualTo("specs/auth.md");
    assertThat(said).startsWith("Offered auth to hosts (").contains("ralph work");
    assertThat(run("tasks", "-n", "auth")).contains("Write the form");
    assertThat(run("status", "-n", "auth"))
        .contains("auth: idle")
        .contains("hosts       offered since ")
        .contains("for hosts with gpu, spec specs/auth.md");
  }

  @Test
  void currentFolder_isOffered() throws Exception {
    folder = Files.createDirectories(folder.resolve("services/a b"));
    terminal = new Terminal(folder);
    assertThat(refused("build", "-n", "auth", "-p", "Do it", "--detach"))
        .contains("has no committed files");
    Files.writeString(folder.resolve("spec.md"), "# A\n");
    git("add", ".");
    git("commit", "--quiet", "-m", "a");

    assertThat(run("build", "-n", "auth", "-s", "spec.md", "--detach"))
        .contains("folder services/a b, spec services/a b/spec.md");
    SessionOffer offer = offered("auth").offer();
    assertThat(offer.folder()).isEqualTo("services/a b");
    assertThat(offer.spec()).isEqualTo("services/a b/spec.md");
    JsonNode json = new ObjectMapper().readTree(run("status", "-n", "auth", "--json"));
    assertThat(json.at("/offer/folder").textValue()).isEqualTo("services/a b");
  }

  @Test
  void unfetchableRepository_isRefused() throws Exception {
    git("init", "--quiet", "--bare", temporary.resolve("origin.git").toString());
    git("remote", "add", "origin", temporary.resolve("origin.git").toString());
    assertThat(refused("build", "-n", "a", "-p", "Do it", "--detach"))
        .contains("hosts cannot fetch it; run: git push origin main");
    git("push", "--quiet", "origin", "main");
    Files.writeString(folder.resolve("specs/new.md"), "# New\n");
    assertThat(refused("build", "-n", "a", "-s", "specs/new.md", "--detach"))
        .contains("is not committed");
    assertThat(refused("build", "-n", "a", "-s", "gone.md", "--detach")).contains("does not exist");
    git("remote", "set-url", "origin", "http://git.example/shop.git");
    assertThat(refused("build", "-n", "a", "-p", "Do it", "--detach"))
        .contains("a session's repository must be https://SERVER/PATH");
    assertThat(folder.resolve(".ralph")).doesNotExist();

    git("remote", "set-url", "origin", temporary.resolve("origin.git").toString());
    Terminal.Result result = terminal.call("build", "-n", "a", "-p", "Do it", "--detach", "--json");
    assertThat(result.err()).contains("1 file has uncommitted changes");
    JsonNode offer = new ObjectMapper().readTree(result.out()).get("offer");
    assertThat(offer.get("repository").asText()).endsWith("/origin.git");
  }

  @Test
  void optionsOfHost_areRefused() {
    assertThat(refused("build", "-n", "a", "-p", "x", "--detach", "--gate", "true"))
        .contains("--gate is for the host; give it to ralph work");
    assertThat(refused("build", "-n", "a", "--detach", "--change", "x"))
        .contains("--change cannot be combined with --detach");
    assertThat(refused("build", "-n", "a", "--label", "gpu")).contains("--label is for --detach");
    assertThat(refused("build", "-n", "a", "-p", "x", "--detach", "--label", "-x y"))
        .contains("a label must have 1 to 64 letters");
    assertThat(refused("build", "-n", "a", "--detach")).contains("or the work by --prompt");
  }

  @Test
  void stop_withdrawsOffer() {
    run("build", "-n", "auth", "-p", "Do it", "--detach");
    assertThat(run("stop", "-n", "auth", "--reason", "enough")).contains("no host runs auth");

    assertThat(offered("auth").isOpen()).isFalse();
    assertThat(run("status", "-n", "auth")).contains("ended the session: stopped: enough");
    assertThat(run("stop", "-n", "auth")).contains("nothing to stop");
  }
}
