package dev.ralph.tx;

import dev.ralph.log.RalphException;
import java.util.regex.Pattern;

/**
 * The address of an agent in a mesh, such as {@code code-review-a1b2c3/coordinator}. A mesh is
 * named by the name of its running instance, which may end with a suffix of the instance. A single
 * name stands for a mesh and an agent of the same name: {@code core} is {@code core/core}.
 *
 * @param mesh the name of the mesh, or of its running instance
 * @param agent the name of the agent in its mesh
 */
public record TxAddress(String mesh, String agent) {

  private static final int LONGEST = 100;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_-]*");

  /** TX itself, which starts agents. TX is not an agent and has no mesh. */
  public static final TxAddress SYSTEM = new TxAddress("system", "system");

  /**
   * Creates an address.
   *
   * @throws RalphException INVALID if a name is invalid
   */
  public TxAddress {
    if (!isName(mesh) || !isName(agent)) {
      throw invalid(mesh + "/" + agent);
    }
  }

  /**
   * Parses an address.
   *
   * @param text {@code mesh/agent}, or a single name if both are the same
   * @throws RalphException INVALID if the text is not an address
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
            + " is not an address: use mesh/agent, each with letters, digits, '_' and '-', at most "
            + LONGEST
            + " characters, not beginning with '-'");
  }

  private static boolean isName(String name) {
    return name.length() <= LONGEST && NAME.matcher(name).matches();
  }

  /**
   * Returns the name of the tmux session in which TX runs the agent: mesh and agent with a hyphen
   * between, or a single name if both are the same. So two agents can have the same session, such
   * as {@code a-b/c} and {@code a/b-c}.
   */
  public String session() {
    return mesh.equals(agent) ? mesh : mesh + "-" + agent;
  }

  /** Returns the address in the format of the files: {@code mesh/agent}, or {@code system}. */
  @Override
  public String toString() {
    return equals(SYSTEM) ? mesh : mesh + "/" + agent;
  }
}
