package dev.ralph.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressTest {

  @ParameterizedTest
  @CsvSource({
    "postgres://db/team, jdbc:postgresql://db/team, ralph",
    "postgres://ann@db:5433/team, jdbc:postgresql://db:5433/team?user=ann, ralph",
    "postgres://db/team?schema=a_1, jdbc:postgresql://db/team, a_1",
    "postgres://a@db/t?sslmode=require&schema=b, jdbc:postgresql://db/t?user=a&sslmode=require, b",
    "postgres://[::1]:1/t, jdbc:postgresql://[::1]:1/t, ralph"
  })
  void address_isConvertedToDriverUrl(String text, String url, String schema) {
    assertThat(PostgresAddress.of(text)).isEqualTo(new PostgresAddress(text, url, schema));
  }

  @ParameterizedTest
  @CsvSource({
    "postgres://db, no database",
    "postgres://db/, no database",
    "postgres:///team, no host",
    "postgres://d b/x, not a URL",
    "postgres://ann:geheim@db/team, must not hold a password",
    "postgres://db/team?password=geheim, must not hold a password",
    "postgres://db/team?schema=A, must be 1 to 63 characters of a-z",
    "postgres://db/team?schema=a;drop, must be 1 to 63 characters of a-z",
    "postgres://db/team?schema=pg_x, must be 1 to 63 characters of a-z"
  })
  void invalidAddress_throwsWithReason(String text, String reason) {
    assertThatThrownBy(() -> PostgresAddress.of(text))
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.INVALID))
        .hasMessageContaining(reason)
        .hasMessageNotContaining("geheim");
  }

  @ParameterizedTest
  @CsvSource({
    "jdbc:postgresql://db:5433/team?user=ann&password=x, postgres://db:5433/team?schema=ralph",
    ", postgres://unknown/unknown?schema=ralph"
  })
  void dataSourceAddress_omitsPassword(String url, String shown) {
    assertThat(PostgresAddress.of(url, "ralph").shown()).isEqualTo(shown);
  }
}
