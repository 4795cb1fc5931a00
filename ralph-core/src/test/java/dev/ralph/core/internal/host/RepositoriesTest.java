package dev.ralph.core.internal.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.RalphException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Validation of repository addresses, which any writer to the log can choose. */
class RepositoriesTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://git.example/team/shop.git",
        "https://somebody@git.example:8443/shop",
        "ssh://git@git.example:22/team/shop.git",
        "git@git.example:team/shop.git",
        "git.example:~ann/shop",
        "/srv/git/shop.git"
      })
  void validAddress_isAccepted(String address) {
    assertThatCode(() -> Repositories.requireAddress(address)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "shop",
        "../shop",
        "./shop",
        "/srv/git/../../etc",
        "/srv//git",
        "--upload-pack=touch /tmp/x",
        "-u",
        "ext::sh -c touch% /tmp/x",
        "ext::id",
        "fd::17",
        "file:///srv/git/shop.git",
        "http://git.example/shop.git",
        "git://git.example/shop.git",
        "https://ann:secret@git.example/shop.git",
        "https://-oProxyCommand=id/shop",
        "ssh://-oProxyCommand=id/shop",
        "ssh://git@-oProxyCommand=id/shop",
        "-oProxyCommand=id:shop",
        "git.example:-oProxyCommand=id",
        "https://git.example",
        "https://git.example/team/../other/shop.git",
        "https://git.example/team/%2e%2e/other/shop.git",
        "https://git.example/shop?x=y",
        "https://git.example/shop#x",
        "git@git.example:team/../../shop.git",
        "https://git.example/a b",
        "https://git.example/a\nb"
      })
  void invalidAddress_isRejected(String address) {
    assertThatThrownBy(() -> Repositories.requireAddress(address))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("a session's repository must be https://SERVER/PATH");
  }

  @Test
  void host_fetchesOnlyAllowedRepositories() {
    Repositories some =
        new Repositories(List.of("https://git.example/team/", "git@git.example:", "/srv/shop"));

    assertThat(some.allow("https://git.example/team/shop.git")).isTrue();
    assertThat(some.allow("git@git.example:any.git")).isTrue();
    assertThat(some.allow("/srv/shop")).isTrue();
    assertThat(some.allow("/srv/shop2")).isFalse();
    assertThat(some.allow("/srv/shop/other")).isFalse();
    assertThat(some.allow("https://git.example/teams/shop.git")).isFalse();
    assertThat(some.allow("https://git.example.evil.example/team/shop.git")).isFalse();
    assertThat(new Repositories(List.of()).allow("/srv/shop")).isFalse();
  }
}
