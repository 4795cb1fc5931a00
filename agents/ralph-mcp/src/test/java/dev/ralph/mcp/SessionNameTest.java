package dev.ralph.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SessionNameTest {

  @ParameterizedTest
  @CsvSource({
    "Auth, auth, true",
    "auht, auth, false",
    "login-pgae, login-page, true",
    "login-pag, login-page, true",
    "login-pages, login-page, true",
    "login-pafe, login-page, true",
    "login_page, login-page, true",
    "login-pxyz, login-page, false",
    "feature-2, feature-1, false",
    "feature-12, feature-1, false",
    "feature, feature1, false",
    "feature-a1, feature-b1, true",
    "feature-1a, feature-2b, false",
    "other-name, login-page, false",
    "login-paeg1, login-page1, true",
    "login-pag1e, login-page1, false",
    "login1-pages, login1-page, true",
    "shorts, short, false",
  })
  void similarName_isNotCreated(String typed, String existing, boolean isSimilar) {
    SessionName name = new SessionName(typed);
    String refusal = name.confusedWith(List.of("a", existing));

    assertThat(refusal != null).isEqualTo(isSimilar);
    if (isSimilar) {
      assertThat(refusal).contains("'" + existing + "'", "ralph task add --create -n " + typed);
      assertThat(name.unknown(List.of(existing))).contains("did you mean '" + existing + "'?");
    } else {
      assertThat(name.unknown(List.of(existing))).contains("sessions: " + existing);
    }
  }
}
