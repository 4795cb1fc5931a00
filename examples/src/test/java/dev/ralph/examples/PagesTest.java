package dev.ralph.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks the classes, members, packages, files, links and numbers that the documentation names. */
class PagesTest {

  private static final Path ROOT = ProjectModules.ROOT;

  private static final Pattern BLOCK = Pattern.compile("(?ms)^ *```.*?^ *```");
  private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
  private static final Pattern CLASS =
      Pattern.compile("([A-Z][a-z][A-Za-z0-9]*)(?:[.#](\\w+))?(?:\\(.*\\))?");
  private static final Pattern PACKAGE = Pattern.compile("dev\\.ralph(?:\\.[a-z]+)+");
  private static final Pattern FILE = Pattern.compile("[\\w.-]+(?:/[\\w.-]+)+/?|\\w+\\.java");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s#]*)(?:#([^)\\s]+))?\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
  private static final Pattern DECLARED =
      Pattern.compile("\\b(?:class|interface|enum|record)\\s+([A-Z]\\w*)");

  /** Code words that look like class names and are not. */
  private static final Set<String> NO_CLASSES =
      Set.of("Authorization", "Bearer", "Cargo", "Makefile", "ServicesResourceTransformer");

  /** The packages that contain the JDK classes named in the pages. */
  private static final List<String> PLATFORM =
      List.of(
          "java.io",
          "java.lang",
          "java.nio.channels",
          "java.time",
          "java.time.format",
          "java.util",
          "java.util.regex",
          "javax.sql");

  private static final Map<Path, String> PAGES = new TreeMap<>();

  /** The source files that declare a class, as text, by class name. */
  private static final Map<String, String> CLASSES = new HashMap<>();

  private static final Set<String> PACKAGES = new TreeSet<>();

  @BeforeAll
  static void read() throws IOException {
    for (Path page : files(".md")) {
      PAGES.put(page, Files.readString(ROOT.resolve(page)));
    }
    for (Path source : files(".java")) {
      String text = Files.readString(ROOT.resolve(source));
      DECLARED
          .matcher(text)
          .results()
          .forEach(it -> CLASSES.merge(it.group(1), text, String::concat));
      PACKAGES.add(text.replaceFirst("(?s).*?(?m)^package ([\\w.]+);.*", "$1"));
    }
  }

  /** Returns the project's files with the given suffix, relative to its root. */
  private static List<Path> files(String end) throws IOException {
    try (Stream<Path> all = Files.walk(ROOT)) {
      return all.filter(file -> file.toString().endsWith(end) && !ProjectModules.isBuilt(file))
          .map(ROOT::relativize)
          .toList();
    }
  }

  @Test
  void namedClassesAndPackages_exist() {
    List<String> missing = new ArrayList<>();
    int found = 0;
    for (Map.Entry<Path, String> page : PAGES.entrySet()) {
      for (String code : code(page.getValue())) {
        Matcher named = CLASS.matcher(code);
        if (named.matches() && !NO_CLASSES.contains(named.group(1))) {
          found++;
          if (!isThere(named.group(1), named.group(2))) {
            missing.add(page.getKey() + ": " + code);
          }
        } else if (PACKAGE.matcher(code).matches() && !isPackage(code)) {
          missing.add(page.getKey() + ": " + code);
        }
      }
    }
    assertThat(found).isGreaterThan(200);
    assertThat(missing).isEmpty();
  }

  /** Logger names are prefixes of package names. */
  private static boolean isPackage(String name) {
    return PACKAGES.stream().anyMatch(each -> each.equals(name) || each.startsWith(name + "."));
  }

  private static boolean isThere(String name, String member) {
    String text = CLASSES.get(name);
    if (text != null) {
      return member == null || Pattern.compile("\\b" + member + "\\b").matcher(text).find();
    }
    return PLATFORM.stream().anyMatch(in -> exists(in + "." + name));
  }

  private static boolean exists(String platformClass) {
    try {
      return Class.forName(platformClass) != null;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /**
   * Checks source files and paths that start with a folder of the project; other paths are the
   * reader's.
   */
  @Test
  void files() throws IOException {
    Set<String> folders = new TreeSet<>();
    try (Stream<Path> all = Files.list(ROOT)) {
      all.filter(Files::isDirectory).forEach(each -> folders.add(each.getFileName().toString()));
    }
    // .git and .ralph are folders of the reader's project, and the build creates target
    folders.removeAll(Set.of(".git", ".ralph", "target"));
    List<String> missing = new ArrayList<>();
    PAGES.forEach(
        (page, text) -> {
          for (String code : code(text)) {
            boolean isOurs = folders.contains(code.replaceFirst("/.*", ""));
            if (FILE.matcher(code).matches()
                && (isOurs && !code.contains("/target") && !Files.exists(ROOT.resolve(code))
                    || code.endsWith(".java")
                        && !CLASSES.containsKey(code.replaceAll(".*/|\\.java$", "")))) {
              missing.add(page + ": " + code);
            }
          }
        });
    assertThat(missing).isEmpty();
  }

  @Test
  void linkTargets_exist() throws IOException {
    List<String> missing = new ArrayList<>();
    int found = 0;
    for (Map.Entry<Path, String> page : PAGES.entrySet()) {
      for (MatchResult link : LINK.matcher(page.getValue()).results().toList()) {
        if (link.group(1).startsWith("http")) {
          continue;
        }
        found++;
        Path target =
            link.group(1).isEmpty()
                ? page.getKey()
                : ROOT.relativize(
                    ROOT.resolve(page.getKey()).resolveSibling(link.group(1)).normalize());
        if (!Files.exists(ROOT.resolve(target))
            || link.group(2) != null && !headings(PAGES.get(target)).contains(link.group(2))) {
          missing.add(page.getKey() + ": " + link.group());
        }
      }
    }
    assertThat(found).isGreaterThan(100);
    assertThat(missing).isEmpty();
  }

  private static Set<String> headings(String page) {
    Set<String> anchors = new TreeSet<>();
    HEADING
        .matcher(page)
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .forEach(words -> anchors.add(words.replaceAll("[^\\w\\- ]", "").replace(' ', '-')));
    return anchors;
  }

  /**
   * Each row pairs a number in a page with the source line that defines it. Change both together.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          concepts.md        | after 50 iterations                 | LoopBuilder       | MAX_ITERATIONS = 50;
          concepts.md        | after five in a row                 | LoopBuilder       | MAX_IDLE = 5;
          commands/loop.md   | that end the loop; 3                | LoopBuilder       | MAX_FAILURES = 3;
          domains.md         | after two seconds or more           | FoldLedger        | PATIENCE = Duration.ofSeconds(2);
          domains.md         | every 2,000 frames                  | FoldView          | FRAMES_PER_SNAPSHOT = 2_000;
          embedding.md       | waits for a thread for 10 seconds   | AgentRunner       | TAKEN_UP_WITHIN = Duration.ofSeconds(10);
          embedding.md       | of more than 256 characters         | KeptText          | KEPT = 256;
          storage.md         | of more than 64 KiB                 | BatchLines        | INLINE_BYTES = 64 * 1024;
          file-format.md     | of more than 64 KiB                 | BatchLines        | INLINE_BYTES = 64 * 1024;
          storage.md         | 15 MiB                              | BatchExcerpt      | MAX_BYTES = 15 * 1024 * 1024;
          agents.md          | 1,048,576 characters                | CodexAgent        | LONGEST_PROMPT = 1_048_576;
          agents.md          | `--max-silence`, 15 minutes         | ClientBuilder     | LONGEST_SILENCE = Duration.ofMinutes(15);
          agents.md          | more than 20 times in a row         | OpencodeEvents    | IDLE_STEPS_ALLOWED = 20;
          agents.md          | up to two minutes for the session's | ClaudeAgent       | LONGEST_TOOLS_START = Duration.ofMinutes(2);
          agents.md          | to the prompt it has 60 seconds     | AcpConversation   | ANSWER_LIMIT = Duration.ofSeconds(60);
          agents.md          | their list, or after 10 seconds     | AcpConversation   | TOOLS_LIMIT = Duration.ofSeconds(10);
          openspec.md        | held for 15 minutes                 | ChangeSession     | LEASE = Duration.ofMinutes(15);
          """)
  void numbersInPages_matchSource(String page, String said, String source, String line) {
    String text = PAGES.get(Path.of("docs", page));
    assertThat(text.replaceAll("\\s+", " ")).contains(said);
    assertThat(CLASSES.get(source)).contains(line);
  }

  /** Checks the table of dependency sizes. */
  @Test
  void dependencySizes_matchThePage() throws IOException {
    List<Long> chronicle =
        sizes("net/openhft/|com/github/jnr/|net/java/dev/jna/|org/ow2/asm/|org/slf4j/slf4j-api/");
    String page = PAGES.get(Path.of("docs/embedding.md"));
    assertThat(page)
        .contains(
            "Chronicle Queue with "
                + (chronicle.size() - 2)
                + " jars of its own, `slf4j-api` | "
                + megabytes(chronicle))
        .contains("`jackson-databind` with its annotations | " + megabytes(sizes("/jackson-")))
        .contains("`jackson-core` | " + megabytes(sizes("/jackson-core/")));
  }

  @Test
  void exampleLineCount_matchesThePage() {
    long lines = CLASSES.get("ReservationBook").lines().count();
    assertThat(PAGES.get(Path.of("docs/domains.md")).replaceAll("\\s+", " "))
        .contains("one class of " + lines + " lines");
  }

  private static List<Long> sizes(String part) throws IOException {
    Pattern wanted = Pattern.compile(part);
    List<Long> sizes = new ArrayList<>();
    for (String jar : System.getProperty("java.class.path").split(File.pathSeparator)) {
      if (jar.endsWith(".jar") && wanted.matcher(jar).find()) {
        sizes.add(Files.size(Path.of(jar)));
      }
    }
    return sizes;
  }

  private static String megabytes(List<Long> sizes) {
    long all = sizes.stream().mapToLong(Long::longValue).sum();
    return String.format(Locale.ROOT, "%.1f MB", all / 1e6);
  }

  /** Returns the inline code of a page, without its code blocks. */
  private static List<String> code(String page) {
    return CODE.matcher(BLOCK.matcher(page).replaceAll(""))
        .results()
        .map(code -> code.group(1))
        .toList();
  }
}
