package dev.ralph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedactorTest {

  private static final Redactor BUILT_IN = Redactor.builtIn();

  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  private static final String ALPHANUMERIC = LETTERS + "0123456789";
  private static final String URL = ALPHANUMERIC + "_-";
  private static final String HEX = "0123456789abcdef";
  private static final String BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

  // The keys contain a separator, so that no secret scanner reports this file.
  private static String key(String spelled) {
    return spelled.replace("_.", "");
  }

  @ParameterizedTest
  @CsvSource({
    "sk-_.ant-api03-aB3dE5fG7hI9jK1lM3nO5pQ7, Anthropic key",
    "sk-_.proj-aB3dE5fG7hI9jK1lM3nO5pQ7, API key",
    "sk-_.aB3dE5fG7hI9jK1lM3nO5pQ7, API key",
    "ghp_._aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5, GitHub token",
    "github_._pat_11AB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5, GitHub token",
    "glpat_.-aB3dE5fG7hI9jK1lM3nO, GitLab token",
    "AKIA_.IOSFODNN7EXAMPL3, AWS key",
    "ASIA_.IOSFODNN7EXAMPL3, AWS key",
    "AIza_.SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q, Google key",
    "xoxb_.-123456789012-aB3dE5fG7hI9, Slack token",
    "hf_._aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3x, Hugging Face token",
    "npm_._aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5, npm token",
    "sk_._live_51aB3dE5fG7hI9jK1lM3nO5p, Stripe key",
    "pypi_.-AgEIcHlwaS5vcmcCJDU4ZjQ3-WMwLTk_x, PyPI token",
    "dckr_._pat_aB3dE5fG7-hI9jK1lM3nO5pQ7, Docker token",
    "SG_..aB3dE5fG7hI9jK1lM3nO5p.aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9d, SendGrid key",
    "xai_.-aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9d, xAI key",
    "gsk_._aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9d, Groq key",
    "eyJ_.hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1g, web token",
  })
  void key_isReplacedByKindOfKey(String spelled, String what) {
    String key = key(spelled);
    String word = "[redacted: " + what + "]";
    assertThat(BUILT_IN.redact(key)).isEqualTo(word);
    assertThat(BUILT_IN.redact("export KEY='" + key + "'; go\n"))
        .isEqualTo("export KEY='" + word + "'; go\n");
    assertThat(BUILT_IN.redact(key + " and " + key)).isEqualTo(word + " and " + word);
    assertThat(BUILT_IN.redact("{\"k\":\"" + key + "\"}")).isEqualTo("{\"k\":\"" + word + "\"}");
  }

  /** The prefix, alphabet and length of tokens, as their issuers generate them. */
  static final List<Arguments> ISSUED =
      List.of(
          arguments("sk-ant-_.api03-", URL, 93),
          arguments("sk-proj_.-", URL, 156),
          arguments("sk-_.", ALPHANUMERIC, 48),
          arguments("sk_._live_", ALPHANUMERIC, 24),
          arguments("sk_._test_", ALPHANUMERIC, 99),
          arguments("rk_._live_", ALPHANUMERIC, 24),
          arguments("hf_._", LETTERS, 34),
          arguments("npm_._", ALPHANUMERIC, 36),
          arguments("gsk_._", ALPHANUMERIC, 52),
          arguments("xai_.-", ALPHANUMERIC, 80),
          arguments("pypi_.-AgEIcHlwaS5vcmc", URL, 100),
          arguments("dckr_._pat_", URL, 27),
          arguments("ghp_._", ALPHANUMERIC, 36),
          arguments("ghs_._", ALPHANUMERIC, 36),
          arguments("github_._pat_", ALPHANUMERIC, 82),
          arguments("glpat_.-", URL, 20),
          arguments("glrt_.-", URL, 20),
          arguments("gldt_.-", URL, 20),
          arguments("AKIA_.", BASE32, 16),
          arguments("ASIA_.", BASE32, 16),
          arguments("ABIA_.", BASE32, 16),
          arguments("AIza_.", URL, 35),
          arguments("GOCSPX_.-", URL, 28),
          arguments("xoxb_.-", ALPHANUMERIC, 40),
          arguments("xoxc_.-", ALPHANUMERIC, 40),
          arguments("xoxe_.-", ALPHANUMERIC, 40),
          arguments("shpat_._", HEX, 32),
          arguments("dop_._v1_", HEX, 64),
          arguments("r8_._", ALPHANUMERIC, 37),
          arguments("pplx_.-", ALPHANUMERIC, 48),
          arguments("lin_._api_", ALPHANUMERIC, 40));

  @ParameterizedTest
  @FieldSource("ISSUED")
  void randomToken_isRedacted(String spelled, String alphabet, int length) {
    Random random = new Random(7);
    for (int round = 0; round < 5_000; round++) {
      StringBuilder token = new StringBuilder(key(spelled));
      for (int i = 0; i < length; i++) {
        token.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      String text = "token=\"" + token + "\"";
      assertThat(BUILT_IN.redact(text)).doesNotContain(token).startsWith("token=\"[redacted: ");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"text\":\"one\\n%s\\ntwo\"}",
        "{\"text\":\"one\\r\\n%s\\r\\n\"}",
        "{\"text\":\"{\\\\\\\"k\\\\\\\":\\\\t%s\\\\n}\"}",
        "{\"text\":\"\\u003d%s\\u0026\"}",
        "https://h/?next=%%2F%%3Fk%%3D%s%%26x",
        "\u001b[32m%s\u001b[0m",
        "\u001b[1;38;2;255;255;255m%s\u001b[m",
        "one\n%s\ntwo",
        "%s\r\n",
      })
  void tokenNextToEscape_isRedacted(String text) {
    for (String spelled :
        List.of(
            "ghp_._aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5",
            "hf_._aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3x",
            "sk-_.ant-api03-aB3dE5fG7hI9jK1lM3nO5pQ7",
            "AKIA_.IOSFODNN7EXAMPL3")) {
      String token = key(spelled);
      String mark = BUILT_IN.redact(token);
      assertThat(BUILT_IN.redact(text.formatted(token))).isEqualTo(text.formatted(mark));
    }
  }

  @Test
  void storesPage_listsEveryPrefix() throws IOException {
    String page = Files.readString(Path.of("../docs/commands/stores.md"));
    assertThat(ISSUED)
        .extracting(each -> key((String) each.get()[0]).replaceAll("api03-|IcHlwaS5vcmc", ""))
        .allSatisfy(prefix -> assertThat(page).contains("`" + prefix + "`"));
  }

  @Test
  void privateKey_isRemovedWholeOrTruncated() {
    String begin = key("-----BEGIN RSA PRIV_.ATE KEY-----");
    String key = begin + "\nMIIEow\nIBAAK\n-----END RSA PRIVATE KEY-----";
    assertThat(BUILT_IN.redact("a\n" + key + "\nb")).isEqualTo("a\n[redacted: private key]\nb");
    assertThat(BUILT_IN.redact("a\n" + begin + "\nMIIEow\nIBAAK\n"))
        .isEqualTo("a\n[redacted: private key]");
    String certificate = "-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----";
    assertThat(BUILT_IN.redact(certificate)).isSameAs(certificate);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Authorization: Bearer abc.DEF-123 | Authorization: Bearer [redacted: authorization]",
        "-H 'authorization: Basic dXNlcjpwYXNz' | -H 'authorization: Basic [redacted: authorization]'",
        "bearer aB3dE5fG7hI9jK1lM3nO5pQ7 | bearer [redacted: authorization]",
        "postgres://me:pa55@db/x | postgres://me:[redacted: password]@db/x",
        "https://h/?user=me&password=pa55&x=1 | https://h/?user=me&password=[redacted: password]&x=1",
        "psql password=pa55 host=db | psql password=[redacted: password] host=db",
        "PGPASSWORD=pa55 psql | PGPASSWORD=[redacted: password] psql",
        "connect(user='me', password='pa55 word') | connect(user='me', password='[redacted: password]')",
        "run --password=pa55; ls | run --password=[redacted: password]; ls",
        "AWS_SECRET_ACCESS_KEY=wJalr/XUt+nFEMI aws | AWS_SECRET_ACCESS_KEY=[redacted: AWS key] aws",
        "aws_secret_access_key = wJalr/XUt+nFEMI | aws_secret_access_key = [redacted: AWS key]",
        "{'AWS_SECRET_ACCESS_KEY': 'wJalr/XUt'} | {'AWS_SECRET_ACCESS_KEY': '[redacted: AWS key]'}",
      })
  void headersAndUrls_loseOnlySecret(String text, String redacted) {
    assertThat(BUILT_IN.redact(text)).isEqualTo(redacted);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "glpat-your-token-goes-here",
        "sk-learn-contrib-pipeline-2024-rewrite",
        "sk-toggleable__content-arrow2",
        "sk_live_your_key_of_2026_goes_here",
        "xoxb-your-slack-token",
        "ghp_the_token_of_github_2026_is_in_the_vault",
        "hf_hub_offline, hf_transfer, hf_home",
        "AKIAXXXXXXXXXXXXXXXXXXXX",
        "dop_v1_deadbeef",
        "r8_unorm, r8g8b8a8_unorm_srgb_and_more_of_2026",
        "pplx-api-key-of-the-team-2026",
        "lin_api_client_of_the_server",
        "a task-list-of-many-things-to-do-in-2026",
        "sk-learn is a library, and sk-toolkit-for-everything has no digit",
        "the risk-12345678901234567890 of it",
        "C:\\tmp\\brisk-12345678901234567890 and 100%risk-12345678901234567890",
        "https://example.org:8080/path@v1",
        "the bearer of this message came at 12345678901234567890",
        "git@github.com:me/project.git",
        "AKIA is what such a key begins with",
        "eyJ is what a token begins with. And. So",
        "-----BEGIN",
        "npm_config_cache_of_2026_and_more is a variable",
        "pypi-publish-to-the-test-server-v2",
        "hf_hub_download_2_files_of_a_model",
        "SG.1 and SG.22, which are sections",
        "connect(password=os.getenv('PASSWORD'))",
        "PASSWORD=$DB_PASSWORD password=${PASSWORD} password=<yours> password='' password=***",
        "set AWS_SECRET_ACCESS_KEY, then AWS_SECRET_ACCESS_KEY=$KEY",
        "password=",
      })
  void ordinaryText_isUnchanged(String text) {
    assertThat(BUILT_IN.redact(text)).isSameAs(text);
  }

  @Test
  void harmlessTexts_staySame() throws IOException {
    try (InputStream in = RedactorTest.class.getResourceAsStream("harmless.txt")) {
      List<String> texts = new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      assertThat(texts).hasSizeGreaterThanOrEqualTo(200);
      assertThat(texts).filteredOn(text -> !BUILT_IN.redact(text).equals(text)).isEmpty();
    }
  }

  @Test
  @Timeout(300)
  void anyText_isRedactedQuickly() {
    ThreadMXBean thread = ManagementFactory.getThreadMXBean();
    int length = 1_000_000;
    for (String piece :
        new String[] {
          "sk-",
          "eyJ-",
          "eyJ.",
          "-----BEGIN ",
          "://a:",
          "?password=&",
          "Bearer ",
          "xoxb-",
          "a",
          key("-----BEGIN PRIV_.ATE KEY-----"),
          "authorization: ",
          "1-sk-1",
          "password=",
          "password='",
          "SG.aB3dE5fG7hI9jK1lM3nO5p.",
          "npm_",
          "aws_secret_access_key="
        }) {
      String text = piece.repeat(length / piece.length()) + "(";
      long start = thread.getCurrentThreadCpuTime(); // independent of other load
      BUILT_IN.redact(text);
      Duration took = Duration.ofNanos(thread.getCurrentThreadCpuTime() - start);
      assertThat(took).as("redacting a megabyte of %s", piece).isLessThan(Duration.ofSeconds(10));
    }
  }

  @Test
  void redaction_isIdempotentForAnyText() {
    Random random = new Random(5);
    String letters = "sk-eyJ.:/@?&=BearAKI1234567890-----BEGIN PRIVATE KEY \n";
    List<String> words = List.of("password=", "aws_secret_access_key=", "?pwd=", "'", "\"", "(");
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int length = random.nextInt(60); length > 0; length--) {
        text.append(
            random.nextInt(10) == 0
                ? words.get(random.nextInt(words.size()))
                : letters.charAt(random.nextInt(letters.length())));
      }
      String redacted = BUILT_IN.redact(text.toString());
      assertThat(BUILT_IN.redact(redacted)).as("redacted twice: %s", text).isEqualTo(redacted);
    }
  }
}
