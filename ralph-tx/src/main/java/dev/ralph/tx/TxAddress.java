package dev.ralph.tx;

import dev.ralph.log.RalphException;
import java.util.regex.Pattern;

/**
 * An agent of a mesh, such as {@code code-review-a1b2c3/coordinator}. The mesh is that of a running
 * instance, so it may end in what tells instances apart. An agent may be called by one name where
 * its mesh has the same: {@code core} is {@code core/core}.
 *
 * @param mesh the name of the mesh, or of its running instance
 * @param agent the name of the agent in its mesh
 */
public record TxAddress(String mesh, String agent) {

  private static final int LONGEST = 100;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_-]*");

  /** TX itself, which starts agents. It is no agent, and has no mesh. */
  public static final TxAddress SYSTEM = new TxAddress("system", "system");

  /**
   * Makes an address.
   *
   * @throws RalphException INVALID if a name is none
   */
  public TxAddress {
    if (!isName(mesh) || !isName(agent)) {
      throw invalid(mesh + "/" + agent);
    }
  }

  /**
   * Returns the address that the text stands for.
   *
   * @param text {@code mesh/agent}, or one name where both have the same
   * @throws RalphException INVALID if it is no address
   */
  public static TxAddress parse(String text) {
    int slash = text.indexOf('/');
    String mesh = slash < 0 ? text : text.substring(0, slash);
    String agent = text.substring(slash + 1);
    if (!isName(mesh) || !isName(agent)) {
      throw invalid(text);
    }
    return new TxAddress(mesh, agent);
  }

  private static RalphException invalid(String text) {
    return RalphException.invalid(
        RalphException.quote(text)
            + " is no address: write mesh/agent, each of letters, digits, '_' and '-', at most "
            + LONGEST
            + " characters, and no '-' first");
  }

  private static boolean isName(String name) {
    return name.length() <= LONGEST && NAME.matcher(name).matches();
  }

  /**
   * Returns the name of the tmux session in which TX runs the agent: that of the mesh where both
   * have the same, else both with a hyphen between. So two agents can have the same session, such
   * as {@code a-b/c} and {@code a/b-c}.
   */
  public String session() {
    return mesh.equals(agent) ? mesh : mesh + "-" + agent;
  }

  /** Returns it as files name it: {@code mesh/agent}, or {@code system}. */
  @Override
  public String toString() {
    return equals(SYSTEM) ? mesh : mesh + "/" + agent;
  }
}
