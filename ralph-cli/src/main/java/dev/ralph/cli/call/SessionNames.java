package dev.ralph.cli.call;

import dev.ralph.cli.text.Suggestion;
import dev.ralph.log.RalphException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The messages about session names that the store does not contain. */
final class SessionNames {

  private static final int MOST_NAMED = 10;

  private SessionNames() {}

  /** Returns the message about a new session. */
  static String isNew(String name, StoreAccess store, StoreAddress address) {
    return RalphException.quote(name)
        + " is a new session in "
        + address.location()
        + didYouMean(name, others(name, store), "");
  }

  /**
   * Returns the names of the other sessions. Another process may have begun this session meanwhile.
   */
  private static List<String> others(String name, StoreAccess store) {
    return store.sessions().stream().filter(each -> !each.equals(name)).toList();
  }

  /**
   * Returns the failure of a command on a session that has not begun.
   *
   * @param from the source of the name, in parentheses; empty if the call gave the name
   */
  static RalphException unknown(String name, String from, StoreAccess store, StoreAddress address) {
    String start = "no session " + RalphException.quote(name) + from + " in " + address.location();
    List<String> names = store.sessions();
    if (names.isEmpty()) {
      return RalphException.notFound(
          start + ", which has no sessions; start a session with ralph build, task add or message");
    }
    return RalphException.notFound(start + didYouMean(name, names, available(names)));
  }

  private static String didYouMean(String name, List<String> names, String otherwise) {
    @Nullable String nearest = Suggestion.nearest(name, names);
    return nearest == null ? otherwise : "; did you mean " + RalphException.quote(nearest) + "?";
  }

  /** Returns the names for a message, or a hint how to list many names; empty for an empty list. */
  static String available(List<String> names) {
    if (names.isEmpty()) {
      return "";
    }
    if (names.size() > MOST_NAMED) {
      return "; ralph sessions lists the sessions";
    }
    StringBuilder all =
        new StringBuilder(names.size() == 1 ? "; existing session: " : "; existing sessions: ");
    for (int i = 0; i < names.size(); i++) {
      all.append(i == 0 ? "" : ", ").append(RalphException.quote(names.get(i)));
    }
    return all.toString();
  }
}
