package dev.ralph.store.postgres;

import dev.ralph.log.RalphException;
import java.sql.SQLException;

/** What the errors of the server and of the driver mean. */
final class Failures {

  private Failures() {}

  /**
   * Returns whether the same may go well in a moment: the connection is gone, or the server starts,
   * stops, or has too many connections.
   */
  static boolean passes(SQLException e) {
    String state = state(e);
    return state.startsWith("08") && !isRefusal(state)
        || state.startsWith("57P")
        || state.equals("53300")
        || state.equals("40001")
        || state.equals("40P01");
  }

  /** Whether there was no password to be given. */
  private static boolean isRefusal(String state) {
    return state.equals("08004");
  }

  /** Returns whether two imports brought the same frame at the same moment. */
  static boolean isDuplicate(SQLException e) {
    return state(e).equals("23505");
  }

  /** Returns the failure as the log's users see it. */
  static RalphException of(String what, SQLException e) {
    String state = state(e);
    String message = what + ": " + message(e);
    if (state.equals("53100") || state.equals("53400")) {
      return RalphException.full(message, e);
    }
    if (passes(e)) {
      return RalphException.unavailable(message, e);
    }
    if (state.startsWith("28") || isRefusal(state)) {
      return RalphException.io(
          message + "; a password is looked for in ~/.pgpass, or in the file that PGPASSFILE names",
          e);
    }
    return RalphException.io(message, e);
  }

  private static String message(SQLException e) {
    String message = e.getMessage();
    return message == null
        ? state(e)
        : message.strip().replaceAll("\\s*\\R\\s*", "; ").replaceAll("\\.$", "");
  }

  private static String state(SQLException e) {
    return e.getSQLState() == null ? "" : e.getSQLState();
  }
}
