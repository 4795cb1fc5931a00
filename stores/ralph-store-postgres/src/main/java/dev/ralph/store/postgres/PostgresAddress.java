package dev.ralph.store.postgres;

import dev.ralph.log.RalphException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The address of a log: {@code postgres://[USER@]HOST[:PORT]/DATABASE[?schema=NAME&…]}. All query
 * parameters except {@code schema} are passed to the driver.
 *
 * @param shown the address for messages, without a password
 * @param url the driver's URL
 * @param schema the name of the schema that holds the log
 */
record PostgresAddress(String shown, String url, String schema) {

  static final String DEFAULT_SCHEMA = "ralph";

  private static final String PREFIX = "postgres:";

  /**
   * Parses an address.
   *
   * @throws RalphException INVALID if the address is malformed or contains a password
   */
  static PostgresAddress of(String text) {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      throw invalid(text, "not a URL: " + e.getReason());
    }
    String path = uri.getRawPath();
    String server = uri.getRawAuthority();
    if (server == null || path == null || path.length() < 2) {
      throw invalid(text, "no " + (server == null ? "host" : "database"));
    }
    int at = server.lastIndexOf('@');
    String user = at < 0 ? null : server.substring(0, at);
    if (user != null && user.indexOf(':') >= 0) {
      throw withPassword();
    }
    String schema = DEFAULT_SCHEMA;
    List<String> parameters = new ArrayList<>();
    if (user != null) {
      parameters.add("user=" + user);
    }
    String query = uri.getRawQuery();
    for (String each : query == null ? new String[0] : query.split("&")) {
      if (each.startsWith("schema=")) {
        schema = requireSchema(each.substring("schema=".length()));
      } else if (each.startsWith("password=") || each.startsWith("sslpassword=")) {
        throw withPassword();
      } else {
        parameters.add(each);
      }
    }
    String url =
        "jdbc:postgresql://"
            + server.substring(at + 1)
            + path
            + (parameters.isEmpty() ? "" : "?" + String.join("&", parameters));
    return new PostgresAddress(text, url, schema);
  }

  /**
   * Returns the address of a log behind a host's data source. Its {@code shown} omits the query of
   * the URL, which may contain a password.
   *
   * @param url the URL that the driver reports; null if unknown
   * @throws RalphException INVALID if the schema's name is malformed
   */
  static PostgresAddress of(@Nullable String url, String schema) {
    String known = url == null ? "jdbc:postgresql://unknown/unknown" : url;
    int end = known.indexOf('?');
    String bare = known.substring("jdbc:".length(), end < 0 ? known.length() : end);
    String place = bare.substring(bare.indexOf(':') + 1);
    return new PostgresAddress(PREFIX + place + "?schema=" + requireSchema(schema), known, schema);
  }

  /** Returns the schema as a quoted SQL identifier, because the name may be a reserved word. */
  String quotedSchema() {
    return '"' + schema + '"';
  }

  /** Returns the name of a schema if it is valid; otherwise throws. */
  private static String requireSchema(String name) {
    boolean good = !name.isEmpty() && name.length() <= 63 && !Character.isDigit(name.charAt(0));
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      good &= c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_';
    }
    if (!good || name.startsWith("pg_")) {
      throw RalphException.invalid(
          "the schema "
              + RalphException.quote(name)
              + " must be 1 to 63 characters of a-z, 0-9 and _, and not begin with a digit or pg_");
    }
    return name;
  }

  private static RalphException withPassword() {
    return RalphException.invalid(
        "the address of a store must not hold a password, because messages display the address; put"
            + " the password into ~/.pgpass or into the file of PGPASSFILE");
  }

  private static RalphException invalid(String text, String problem) {
    return RalphException.invalid(
        "invalid address "
            + RalphException.quote(text)
            + ": "
            + problem
            + "; write postgres://USER@HOST:PORT/DATABASE?schema=NAME");
  }
}
