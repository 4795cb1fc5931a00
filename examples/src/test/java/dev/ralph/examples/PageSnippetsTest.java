package dev.ralph.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles the Java snippets of the pages. */
class PageSnippetsTest {

  private static final Pattern SNIPPET = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  /** Pages whose snippets are parts of examples; {@link SnippetsTest} checks these pages. */
  private static final List<String> OF_EXAMPLES =
      List.of("docs/domains.md", "docs/frameworks.md", "docs/writing-a-store.md");

  private static final String IMPORTS =
      """
      import static org.assertj.core.api.Assertions.assertThat;
      import dev.ralph.*;
      import dev.ralph.agents.*;
      import dev.ralph.core.*;
      import dev.ralph.log.*;
      import dev.ralph.mail.*;
      import dev.ralph.agentmail.*;
      import dev.ralph.tx.*;
      import dev.ralph.openspec.*;
      import dev.ralph.store.postgres.*;
      import dev.ralph.test.*;
      import dev.ralph.tool.*;
      import dev.ralph.web.*;
      import java.math.*;
      import java.nio.file.*;
      import java.time.*;
      import java.util.*;
      import java.util.concurrent.*;
      """;

  /** The declarations that the snippets of a page use without showing them, by page. */
  private static final Map<String, String> GIVEN =
      Map.ofEntries(
          Map.entry("README.md", "Ralph ralph;"),
          Map.entry("docs/agentmail.md", ""),
          Map.entry(
              "docs/agents.md", "Session session; Agent planner; Agent builder; Agent reviewer;"),
          Map.entry(
              "docs/embedding.md",
              """
              Session session; Agent agent; Executor threads; Meter meter; Bank bank;
              Mail mail; Ralph ralph; Shop shop; ObjectMapper mapper;
              Path project; Worktree tree;
              Verdict tests(Path folder) { return Verdict.passed(); }
              interface Bank { String charge(int amount) throws TimeoutException; String lastReceipt(); }
              interface Mail { void send(String text); }
              interface Shop { Order order(); }
              interface ObjectMapper {}
              record Order(String customer, int amount) {
                static Order ofFirst(String json) { return new Order(json, 0); }
              }
              interface JsonCodec<T> extends StepCodec<T> {
                static <T> JsonCodec<T> of(ObjectMapper mapper, Class<T> type) { return null; }
              }
              interface Meter { void count(String session, Usage usage); }
              """),
          Map.entry("docs/mail.md", "Ralph ralph;"),
          Map.entry(
              "docs/mcp.md",
              """
              Model model;
              interface Model {
                Reply ask(String prompt, List<AgentTools.Definition> tools);
                Reply answer(String result, boolean isError);
              }
              interface Reply {
                boolean callsTool(); String toolName(); String toolArguments(); String text();
              }
              """),
          Map.entry("docs/openspec.md", "Ralph ralph; Path project; Agent agent;"),
          Map.entry("docs/page.md", "Ralph ralph; Path project; Session session; Agent agent;"),
          Map.entry("docs/parallel.md", "Session session; Agent agent;"),
          Map.entry("docs/postgres.md", "javax.sql.DataSource dataSource;"),
          Map.entry("docs/tx.md", ""));

  @TempDir Path classes;

  private static Map<String, List<String>> pages() throws IOException {
    Path root = ProjectModules.ROOT;
    Map<String, List<String>> pages = new TreeMap<>();
    try (Stream<Path> docs = Files.walk(root.resolve("docs"))) {
      Stream<Path> all = Stream.concat(Stream.of(root.resolve("README.md")), docs);
      for (Path page : all.filter(file -> file.toString().endsWith(".md")).toList()) {
        List<String> snippets =
            SNIPPET.matcher(Files.readString(page)).results().map(PageSnippetsTest::code).toList();
        if (!snippets.isEmpty()) {
          pages.put(root.relativize(page).toString(), snippets);
        }
      }
    }
    return pages;
  }

  private static String code(MatchResult snippet) {
    return snippet.group(1);
  }

  @Test
  void snippets_compileAsPrinted() throws IOException {
    Map<String, List<String>> pages = pages();
    pages.keySet().removeAll(OF_EXAMPLES);
    assertThat(pages.keySet()).as("pages with Java").isEqualTo(new TreeSet<>(GIVEN.keySet()));
    List<Source> sources = new ArrayList<>();
    pages.forEach((page, snippets) -> sources.add(source(page, snippets)));

    StringWriter errors = new StringWriter();
    JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
    boolean compiles =
        javac
            .getTask(
                errors,
                null,
                null,
                List.of(
                    "-proc:none",
                    "-d",
                    classes.toString(),
                    "-classpath",
                    System.getProperty("java.class.path")),
                null,
                sources)
            .call();

    assertThat(compiles).as(errors.toString()).isTrue();
  }

  /**
   * Wraps the snippets of a page in one class. A snippet may use the variables of earlier snippets.
   */
  private static Source source(String page, List<String> snippets) {
    String name = "Page" + page.replaceAll("[^A-Za-z]", "");
    StringBuilder text = new StringBuilder(IMPORTS);
    text.append("class ").append(name).append(" {\n").append(GIVEN.get(page)).append('\n');
    text.append("void all() throws Exception {\n");
    int open = 1;
    for (String snippet : snippets) {
      if (!snippet.startsWith("module ")) {
        if (page.equals("docs/mail.md")) {
          text.append("{\n");
          open++;
        } else {
          text.append("}\nvoid snippet").append(text.length()).append("() throws Exception {\n");
        }
        text.append(snippet);
      }
    }
    return new Source(name, text + "}\n".repeat(open) + "}\n");
  }

  /** A source file in memory. */
  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String name, String text) {
      super(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
