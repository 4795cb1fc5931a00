package dev.ralph.cli.github;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.cli.call.UsageException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IssueQueryTest {

  @Test
  void labels_areDecoded() {
    assertThat(IssueQuery.parse("gh:issues").labels()).isEmpty();
    assertThat(IssueQuery.parse("gh:issues?").labels()).isEmpty();
    assertThat(IssueQuery.parse("gh:issues?label=a&label=good first%20issue+%26").labels())
        .containsExactly("a", "good first issue+&");
    assertThat(IssueQuery.parse("gh:issues?label=--repo=x").labels()).containsExactly("--repo=x");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "gh:",
        "gh:issue",
        "gh:issues/5",
        "gh:issues?label=",
        "gh:issues?label=a&",
        "gh:issues?state=all",
        "gh:issues?label=%zz",
        "gh:issues?label=a,b"
      })
  void invalidQuery_isRejected(String text) {
    assertThat(IssueQuery.isQuery(text)).isTrue();
    assertThatThrownBy(() -> IssueQuery.parse(text)).isInstanceOf(UsageException.class);
  }
}
