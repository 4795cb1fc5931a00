package dev.ralph.core.internal.prompt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PromptTemplateTest {

  private final Map<TemplatePlaceholder, String> values = new HashMap<>();

  PromptTemplateTest() {
    for (TemplatePlaceholder placeholder : TemplatePlaceholder.COMMON) {
      values.put(placeholder, "<" + placeholder.word() + ">");
    }
  }

  private String fill(String template) {
    return PromptTemplate.parse(template).fill(values::get);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          plain text                     | plain text
          {{session}}                    | <session>
          {{ session }}                  | <session>
          a {{session}}, b {{iteration}} | a <session>, b <iteration>
          {{spec}}{{spec}}               | <spec><spec>
          $x {{{spec}}} \\1 %s           | $x {<spec>} \\1 %s
          \\{{spec}}                     | {{spec}}
          {{not a name}} {{}} {{         | {{not a name}} {{}} {{
          """)
  void placeholders_areFilledIn(String template, String expected) {
    assertThat(fill(template)).isEqualTo(expected + "\n");
  }

  @Test
  void insertedText_isNotExpandedAgain() {
    values.put(TemplatePlaceholder.SPEC, "{{tasks}} {{nonsense}} \\{{spec}}");

    assertThat(fill("{{spec}}|{{session}}"))
        .isEqualTo("{{tasks}} {{nonsense}} \\{{spec}}|<session>\n");
  }

  @Test
  void emptyTemplate_isRejected(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("t.md"), " \n\n");

    assertThatThrownBy(() -> PromptTemplate.read(file, List.of()))
        .isInstanceOf(RalphException.class)
        .hasMessage(
            "the template '%s' is empty, so the agent would get no instructions; omit the"
                + " template for the built-in template",
            file);
    assertThatThrownBy(() -> PromptTemplate.parse(""))
        .isInstanceOf(RalphException.class)
        .hasMessageStartingWith("the template is empty");
  }

  @Test
  void unknownPlaceholder_isRejectedWithItsLine() {
    assertThatThrownBy(() -> PromptTemplate.parse("one\ntwo {{sesion}}"))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("'{{sesion}}' in line 2")
        .hasMessageContaining(
            "{{session}}, {{iteration}}, {{agent}}, {{agents}}, {{spec}}, {{store}}, {{role}},"
                + " {{task}},"
                + " {{inbox}}, {{tasks}}, {{notes}}, {{history}}, {{tools}}, {{extra}}")
        .extracting(e -> ((RalphException) e).code())
        .isEqualTo(RalphException.Code.INVALID);
  }

  @Test
  void templateFile_isNamedInErrorsAndWarnings(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("t"), "one\n{spec}\n");
    assertThat(PromptTemplate.read(file, List.of()).warnings())
        .containsExactly(file + ":2: {spec} is not replaced; write {{spec}}");
    Files.writeString(file, "one\ntwo\n {{sesion}}");
    assertThatThrownBy(() -> PromptTemplate.read(file, List.of()))
        .hasMessageStartingWith(
            file + ":3: unknown placeholder '{{sesion}}'; known placeholders: {{session}}");
    Files.write(file, new byte[] {(byte) 0xff});
    assertThatThrownBy(() -> PromptTemplate.read(file, List.of()))
        .hasMessageContaining("not valid UTF-8");
    assertThatThrownBy(() -> PromptTemplate.read(folder.resolve("nowhere"), List.of()))
        .hasMessageContaining("does not exist");
  }

  @Test
  void byteOrderMark_isSkipped(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("t"), "\ufeffDo it.");

    assertThat(PromptTemplate.read(file, List.of()).fill(values::get)).isEqualTo("Do it.\n");
  }

  @Test
  void documentation_namesEveryPlaceholder() throws IOException {
    Path docs = Path.of("").toAbsolutePath().resolveSibling("docs");
    String page = Files.readString(docs.resolve("templates.md"));
    for (TemplatePlaceholder placeholder : TemplatePlaceholder.COMMON) {
      assertThat(page).contains("| `" + placeholder + "` |");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          - Spec: {spec}          | {spec} in line 1 of the template is not replaced; write {{spec}}
          ralph.{name}.note       | {name} in line 1 of the template is not replaced; write {{session}}
          {inbox_messages}        | write {{inbox}}
          pkill -P {pid}          | remove it
          {{spec}                 | write {{spec}}
          """)
  void singleBraces_areReported(String template, String warning) {
    assertThat(PromptTemplate.parse(template).warnings())
        .singleElement()
        .asString()
        .contains(warning);
  }

  @ParameterizedTest
  @ValueSource(strings = {"${name}", "$\"({name: 1})\"", "{colour}", "{\"spec\": 1}", "\\{{spec}}"})
  void bracesWithoutAName_areNotReported(String template) {
    assertThat(PromptTemplate.parse(template).warnings()).isEmpty();
  }

  @Test
  void eachName_isReportedOnce() {
    assertThat(PromptTemplate.parse("{spec} {spec}\n{spec} {store}").warnings()).hasSize(2);
  }

  @Test
  void templateWithoutInbox_startsWithTheMessages() {
    PromptTemplate template = PromptTemplate.parse("Do {{tasks}}").with(TemplatePlaceholder.INBOX);
    assertThat(template.warnings()).isEmpty();
    assertThat(template.fill(values::get)).isEqualTo("<inbox>\n\nDo \n<tasks>\n");

    values.put(TemplatePlaceholder.INBOX, "");
    assertThat(template.fill(values::get)).isEqualTo("Do \n<tasks>\n");

    assertThat(
            PromptTemplate.parse("{{ inbox }}").with(TemplatePlaceholder.INBOX).fill(values::get))
        .isEqualTo("\n");
  }

  @Test
  void emptyLine_isOmittedWithItsBlankLine() {
    values.put(TemplatePlaceholder.INBOX, "");
    values.put(TemplatePlaceholder.NOTES, "");

    assertThat(fill("{{inbox}}\n\nfirst\n\n{{inbox}}{{notes}}\n\nsecond\n{{notes}}\nthird"))
        .isEqualTo("first\n\nsecond\nthird\n");
  }

  @Test
  void sections_areSeparatedFromTextOnTheirLine() {
    assertThat(fill("Spec: {{spec}}\nState: {{inbox}}{{notes}} rest"))
        .isEqualTo("Spec: <spec>\nState: \n<inbox>\n\n<notes>\n rest\n");
  }

  @Test
  void blankLinesOfTheTemplate_areKept() {
    assertThat(fill("one\n\n\ntwo\r\nthree")).isEqualTo("one\n\n\ntwo\nthree\n");
  }

  @Test
  void promptWithoutPlaceholders_isFollowedByTheState() {
    String prompt =
        PromptTemplate.ofPrompt("Just do it. {a}", PromptTemplate.STATE, List.of())
            .fill(values::get);

    assertThat(prompt)
        .startsWith("Just do it. {a}\n\n<inbox>\n\n## Context\n- Session: <session>\n")
        .contains("<tasks>", "<notes>", "<history>", "<tools>", "<extra>");
  }

  @Test
  void promptWithPlaceholders_isKept() {
    assertThat(
            PromptTemplate.ofPrompt("Do {{spec}} {{inbox}}", PromptTemplate.STATE, List.of())
                .fill(values::get))
        .isEqualTo("Do <spec> \n<inbox>\n");
  }

  @Test
  void builtInTemplate_showsMessagesBeforeTasks() {
    String prompt = PromptTemplate.builtIn().fill(values::get);

    assertThat(PromptTemplate.builtIn().warnings()).isEmpty();
    assertThat(prompt).startsWith("<inbox>\n\n## Context\n");
    assertThat(prompt.indexOf("<inbox>")).isLessThan(prompt.indexOf("<tasks>"));
    // The task section contains the agent's number and the number of agents.
    values.keySet().removeAll(List.of(TemplatePlaceholder.AGENT, TemplatePlaceholder.AGENTS));
    for (String value : values.values()) {
      assertThat(prompt).containsOnlyOnce(value);
    }
  }
}
