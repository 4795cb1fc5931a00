package dev.ralph.tx;

import dev.ralph.log.RalphException;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An agent of a mesh, such as {@code code-review-a1b2c3/coordinator}. The mesh is that of a running
 * instance, so it may end in what tells instances apart. An agent may be called by one name where
 * its mesh has the same: {@code core} is {@code core/core}. Immutable; safe for use by many
 * threads.
 */
public final class TxAddress {

  /** TX itself, which starts agents. It is no agent, and has no mesh. */
  public static final TxAddress SYSTEM = new TxAddress("system", "system");

  private static final int LONGEST = 100;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_-]*");

  private final String mesh;
  private final String agent;

  private TxAddress(String mesh, String agent) {
    this.mesh = mesh;
    this.agent = agent;
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
      throw RalphException.invalid(
          RalphException.quote(text)
              + " is no address: write mesh/agent, each of letters, digits, '_' and '-', at most "
              + LONGEST
              + " characters, and no '-' first");
    }
    return mesh.equals(SYSTEM.mesh) && agent.equals(SYSTEM.agent)
        ? SYSTEM
        : new TxAddress(mesh, agent);
  }

  private static boolean isName(String name) {
    return name.length() <= LONGEST && NAME.matcher(name).matches();
  }

  /** Returns the name of the mesh, or of its running instance. */
  public String mesh() {
    return mesh;
  }

  /** Returns the name of the agent in its mesh. */
  public String agent() {
    return agent;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TxAddress a && mesh.equals(a.mesh) && agent.equals(a.agent);
  }

  @Override
  public int hashCode() {
    return Objects.hash(mesh, agent);
  }

  /** Returns it as files name it: {@code mesh/agent}, or {@code system}. */
  @Override
  public String toString() {
    return this == SYSTEM ? mesh : mesh + "/" + agent;
  }
}
