package dev.ralph.store.postgres;

import dev.ralph.log.RalphException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a log is: {@code postgres://[USER@]HOST[:PORT]/DATABASE[?schema=NAME&…]}. What else stands
 * behind the question mark is the driver's.
 *
 * @param shown the address as it was written
 * @param url what the driver connects to
 * @param schema the schema that holds the log
 */
record Address(String shown, String url, String schema) {

  static final String USUAL_SCHEMA = "ralph";

  private static final String KIND = "postgres:";

  /**
   * Reads an address.
   *
   * @throws RalphException INVALID if it is malformed, or holds a password
   */
  static Address of(String text) {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      throw invalid(text, "it is no URL: " + e.getReason());
    }
    String path = uri.getRawPath();
    String server = uri.getRawAuthority();
    if (server == null || path == null || path.length() < 2) {
      throw invalid(text, "it names no " + (server == null ? "host" : "database"));
    }
    int at = server.lastIndexOf('@');
    String user = at < 0 ? null : server.substring(0, at);
    if (user != null && user.indexOf(':') >= 0) {
      throw withPassword();
    }
    String schema = USUAL_SCHEMA;
    List<String> more = new ArrayList<>();
    if (user != null) {
      more.add("user=" + user);
    }
    String query = uri.getRawQuery();
    for (String each : query == null ? new String[0] : query.split("&")) {
      if (each.startsWith("schema=")) {
        schema = schema(each.substring("schema=".length()));
      } else if (each.startsWith("password=") || each.startsWith("sslpassword=")) {
        throw withPassword();
      } else {
        more.add(each);
      }
    }
    String url =
        "jdbc:postgresql://"
            + server.substring(at + 1)
            + path
            + (more.isEmpty() ? "" : "?" + String.join("&", more));
    return new Address(text, url, schema);
  }

  /** Returns the address of a log that a host connects to by a data source of its own. */
  static Address of(@Nullable String url, String schema) {
    String known = url == null ? "jdbc:postgresql://unknown/unknown" : url;
    int end = known.indexOf('?');
    String bare = known.substring("jdbc:".length(), end < 0 ? known.length() : end);
    String place = bare.substring(bare.indexOf(':') + 1);
    return new Address(KIND + place + "?schema=" + schema(schema), known, schema);
  }

  /**
   * Returns the schema as an SQL identifier, in quotes, because its name may be a reserved word.
   */
  String quotedSchema() {
    return '"' + schema + '"';
  }

  /** Checks the name of a schema. */
  private static String schema(String name) {
    boolean good = !name.isEmpty() && name.length() <= 63 && !Character.isDigit(name.charAt(0));
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      good &= c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_';
    }
    if (!good || name.startsWith("pg_")) {
      throw RalphException.invalid(
          "the schema "
              + RalphException.quote(name)
              + " must be 1 to 63 of a-z, 0-9 and _, not begin with a digit or pg_");
    }
    return name;
  }

  private static RalphException withPassword() {
    return RalphException.invalid(
        "the address of a store is shown to everybody, so it must not hold a password; put that into"
            + " ~/.pgpass, or name another file by PGPASSFILE");
  }

  private static RalphException invalid(String text, String why) {
    return RalphException.invalid(
        RalphException.quote(text)
            + " is no address of a store on PostgreSQL: "
            + why
            + "; it is written postgres://USER@HOST:PORT/DATABASE?schema=NAME");
  }
}
