package dev.ralph.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The review of a session's branch, as JSON. */
class PageReviewTest {

  @TempDir Path folder;

  private final Ralph ralph = Ralph.inMemory();
  private final Session auth = ralph.session("auth");
  private ReviewRepository repository;
  private RalphServer server;
  private LivePage page;

  @BeforeEach
  void start() throws Exception {
    repository = new ReviewRepository(folder.resolve("project"));
    auth.tasks().add("Write the form");
    server = RalphServer.builder(ralph).repository(repository.folder()).build();
    server.start();
    page = new LivePage(server, server.token("ann"));
  }

  @AfterEach
  void close() {
    server.close();
    ralph.close();
  }

  private Meta review(String query) throws Exception {
    return page.answer("api/sessions/auth/review" + query);
  }

  private HttpResponse<String> file(String path) throws Exception {
    String encoded = URLEncoder.encode(path, StandardCharsets.UTF_8);
    return page.get("api/sessions/auth/review/file?path=" + encoded);
  }

  private void append(String topic, Meta meta) {
    ralph.append(Topic.of("ralph.auth." + topic), meta, "");
  }

  /** Records the merge of the first task. */
  private void merge(String branch, String commit) {
    Meta id = Meta.of("id", auth.tasks().get("t1").id());
    String until = Instant.now().plusSeconds(60).toString();
    Meta claim = id.with("action", "claim").with("owner", "agent-1").with("branch", branch);
    append("task", claim.with("until", until));
    String token = Objects.requireNonNull(auth.tasks().get("t1").claim()).token();
    auth.tasks().complete("t1");
    append("task", id.with("action", "landed").with("claim", token).with("commit", commit));
  }

  // ---- review

  @Test
  void branch_isComparedWithBase() throws Exception {
    String head = repository.branch("auth");
    repository.write("README.md", "# Shop, by others\n");
    repository.commit("Change main");

    Meta review = review("");

    assertThat(review.string("head")).isEqualTo(head);
    assertThat(review.objects("commits"))
        .singleElement()
        .satisfies(each -> assertThat(each.string("subject")).isEqualTo("Use port 8080"));
    assertThat(review.objects("files").stream().map(Meta::json))
        .containsExactly(
            "{\"path\":\"src/login/Form.java\",\"status\":\"M\",\"added\":2,\"removed\":1}",
            "{\"path\":\"src/login/deep/Check.java\",\"status\":\"A\",\"added\":1,\"removed\":0}");
    assertThat(Meta.parse(file("src/login/Form.java").body()).string("diff"))
        .contains("-  int port = 80;\n+  int port = 8080;\n")
        .doesNotContain("Check");
  }

  @Test
  void forgedBase_hidesNothing() throws Exception {
    String head = repository.branch("auth");
    repository.git("update-ref", "refs/ralph/auth/base", head);

    assertThat(review("").objects("files")).hasSize(2);
  }

  @Test
  void task_isComparedWithParent() throws Exception {
    String first = repository.branch("auth");
    repository.git("switch", "-q", "ralph/auth");
    repository.write("README.md", "# Shop\n\nWith a login.\n");
    repository.commit("Describe it");
    repository.git("switch", "-q", "main");
    merge("ralph/auth.t1", first);

    assertThat(review("").objects("files")).hasSize(3);
    assertThat(review("").objects("tasks").get(0).isTrue("merged")).isTrue();
    assertThat(review("?task=t1").objects("files")).hasSize(2);
    assertThat(review("?task=t9").object("error")).isNotNull();
    assertThat(review("?task=--all").object("error")).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--output=pwned", "HEAD", "main:../../x", "ffff", "$(touch pwned)", "\n"})
  void forgedCommit_isNotPassedToGit(String commit) throws Exception {
    repository.branch("auth");
    merge("--output=pwned", commit);
    assertThat(auth.tasks().get("t1").commit()).isEqualTo(commit);

    Meta review = review("?task=t1");

    assertThat(review.has("files")).isFalse();
    assertThat(review.string("why")).isNotEmpty();
    assertThat(repository.folder().resolve("pwned")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "README.md",
        "../secret",
        "/etc/passwd",
        "--output=pwned",
        ":(top)src",
        "src",
        "*",
        "src/login/Form.java\0x",
        ".git/config",
        ""
      })
  void unchangedPath_isRefused(String path) throws Exception {
    repository.branch("auth");
    Files.writeString(folder.resolve("secret"), "secret");

    HttpResponse<String> answer = file(path);

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).doesNotContain("secret\\n").doesNotContain("root:");
    assertThat(repository.folder().resolve("pwned")).doesNotExist();
  }

  @Test
  void link_isShownAsTarget() throws Exception {
    Files.writeString(folder.resolve("secret"), "the secret");
    repository.git("switch", "-q", "-c", "ralph/auth");
    Files.createSymbolicLink(repository.folder().resolve("link"), folder.resolve("secret"));
    repository.commit("Add a link");
    repository.git("switch", "-q", "main");

    assertThat(file("link").body())
        .contains("new file mode 120000")
        .contains("/secret")
        .doesNotContain("the secret");
  }

  @Test
  void externalDiff_isNotRun() throws Exception {
    repository.branch("auth");
    repository.git("config", "diff.external", "touch pwned; true");
    repository.git("config", "diff.java.command", "touch pwned; true");
    repository.git("config", "diff.java.textconv", "touch pwned; cat");
    repository.write(".git/info/attributes", "*.java diff=java\n");

    assertThat(file("src/login/Form.java").body()).contains("8080");
    assertThat(repository.folder().resolve("pwned")).doesNotExist();
  }

  /** Commits a file on the branch of the session. */
  private void add(String path, String text) throws Exception {
    repository.git("switch", "-q", "-C", "ralph/auth");
    repository.write(path, text);
    repository.commit("Add a file");
    repository.git("switch", "-q", "main");
  }

  @ParameterizedTest
  @ValueSource(ints = {100_000, 500_000})
  void hugeFile_isCut(int lines) throws Exception {
    add("big.txt", "a line of a large file\n".repeat(lines));

    HttpResponse<String> answer = file("big.txt");

    assertThat(answer.body().length()).isLessThan(500_000);
    assertThat(Meta.parse(answer.body()).isTrue("cut")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\u00e4\u20ac\ud83d\ude00 caf\u00e9.txt",
        "a\"b'c.txt",
        "new\nline\ttab.txt",
        "back\\slash[1]*?.txt",
        "-p",
        ":(top)x",
        " blank ",
        "deep/\u202egpj.exe"
      })
  void oddName_hasDifferences(String name) throws Exception {
    repository.write("\u00f6\u20ac\ud83d\ude01 caf\u00e8.txt", "another text\n");
    add(name, "the text\n");

    assertThat(review("").objects("files").stream().map(each -> each.string("path")))
        .contains(name);
    assertThat(Meta.parse(file(name).body()).string("diff"))
        .contains("+the text\n")
        .doesNotContain("another");
  }

  @Test
  void nameWithoutUtf8_hasDifferences() throws Exception {
    String blob = repository.git("hash-object", "-w", "README.md");
    repository.git("branch", "ralph/auth");
    // The shell passes the byte 0xff, which is no UTF-8.
    String script =
        "git read-tree main && printf '100644 %s 0\\ta\\377b.txt\\n' \"$0\" | git update-index"
            + " --index-info && git update-ref refs/heads/ralph/auth $(git commit-tree -p main -m x"
            + " $(git write-tree)) && git read-tree main";
    Process shell =
        new ProcessBuilder("sh", "-c", script, blob)
            .directory(repository.folder().toFile())
            .inheritIO()
            .start();
    assertThat(shell.waitFor()).isZero();

    assertThat(Meta.parse(file("a\ufffdb.txt").body()).string("diff")).contains("+# Shop");
  }

  @Test
  void changedTypeAndMode_areShown() throws Exception {
    repository.git("switch", "-q", "-c", "ralph/auth");
    Files.delete(repository.folder().resolve("README.md"));
    Files.createSymbolicLink(repository.folder().resolve("README.md"), Path.of("/etc"));
    repository.git("update-index", "--chmod=+x", "src/login/Form.java");
    repository.git("add", "README.md");
    repository.git("commit", "-q", "-m", "Change the type");
    repository.git("reset", "-q", "--hard");
    repository.git("switch", "-q", "main");

    assertThat(Meta.parse(file("README.md").body()).string("diff"))
        .contains("deleted file mode 100644", "new file mode 120000", "-# Shop", "+/etc");
    assertThat(Meta.parse(file("src/login/Form.java").body()).string("diff"))
        .contains("old mode 100644\nnew mode 100755");
  }

  @Test
  void manyFilesAndCommits_areCounted() throws Exception {
    StringBuilder stream = new StringBuilder();
    String from = "from refs/heads/main^0\n";
    for (int i = 0; i < 205; i++) {
      stream.append(
          "commit refs/heads/ralph/auth\ncommitter A <a@b> 1700000000 +0000\ndata 1\nx\n");
      stream.append(i == 0 ? from : "");
      for (int file = 0; file < 10; file++) {
        stream.append("M 644 inline f").append(i * 10 + file).append("\ndata 2\na\n\n");
      }
    }
    Path input = folder.resolve("stream");
    Files.writeString(input, stream);
    Process imported =
        new ProcessBuilder("git", "fast-import", "--quiet")
            .directory(repository.folder().toFile())
            .redirectInput(input.toFile())
            .start();
    assertThat(imported.waitFor()).isZero();

    Meta review = review("");

    assertThat(review.integer("total")).hasValue(2_050);
    assertThat(review.objects("files")).hasSize(2_000);
    assertThat(review.integer("added")).hasValue(2_050);
    assertThat(review.integer("commit_total")).hasValue(205);
    assertThat(review.objects("commits")).hasSize(200);
  }

  @Test
  void missingBranchAndRepository_areNamed() throws Exception {
    assertThat(review("").string("why")).contains("no branch ralph/auth");
    repository.git("branch", "ralph/auth");
    assertThat(review("").string("why")).contains("nothing left to merge");

    try (RalphServer bare = RalphServer.builder(ralph).build()) {
      bare.start();
      LivePage other = new LivePage(bare, bare.token("ann"));
      assertThat(other.answer("api/sessions/auth/review").string("why")).contains("no repository");
      assertThat(other.get("api/sessions/auth/review/file?path=x").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void reviewWithoutToken_isRefused() throws Exception {
    repository.branch("auth");
    LivePage stranger = new LivePage(server, "wrong");

    assertThat(stranger.get("api/sessions/auth/review").statusCode()).isEqualTo(401);
  }
}
