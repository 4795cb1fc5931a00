package dev.ralph.store.postgres;

import dev.ralph.log.RalphException;
import java.sql.SQLException;

/** Classifies the exceptions of the server and of the driver. */
final class SqlFailures {

  private SqlFailures() {}

  /**
   * Returns whether a retry may succeed: the connection broke, the server starts, stops or has too
   * many connections, or a transaction was rolled back for a conflict with another.
   */
  static boolean isTransient(SQLException e) {
    String state = state(e);
    return state.startsWith("08") && !isRejection(state)
        || state.startsWith("57P")
        || state.equals("53300")
        || state.equals("40001")
        || state.equals("40P01");
  }

  /** Returns whether the server rejected the connection, for example for a missing password. */
  private static boolean isRejection(String state) {
    return state.equals("08004");
  }

  /** Returns whether two concurrent imports contained the same frame. */
  static boolean isDuplicate(SQLException e) {
    return state(e).equals("23505");
  }

  /**
   * Returns the exception that the store throws.
   *
   * @param problem the beginning of the exception's message
   */
  static RalphException of(String problem, SQLException e) {
    String state = state(e);
    String message = problem + ": " + message(e);
    if (state.equals("53100") || state.equals("53400")) {
      return RalphException.full(message, e);
    }
    if (isTransient(e)) {
      return RalphException.unavailable(message, e);
    }
    if (state.startsWith("28") || isRejection(state)) {
      return RalphException.io(
          message + "; check the user, and the password in ~/.pgpass or in the file of PGPASSFILE",
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
