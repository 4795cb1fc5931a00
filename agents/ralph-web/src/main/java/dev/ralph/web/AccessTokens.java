package dev.ralph.web;

import dev.ralph.Ralph;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Ledger;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.web.AccessToken.Rights;
import dev.ralph.web.internal.access.Token;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The access tokens of a store. A token grants access to all servers of the store until it is
 * revoked. The log contains only hashes of tokens. Each hash includes the store's id, so tokens of
 * an imported log grant no access. Safe for use by many threads.
 */
public final class AccessTokens {

  private static final Topic TOPIC = Topic.of("access.token");

  private static final String ACTION = "action";
  private static final String ADD = "add";
  private static final String REVOKE = "revoke";
  private static final String NAME = "name";
  private static final String RIGHTS = "rights";
  private static final String SESSION = "session";
  private static final String HASH = "hash";

  /** The tokens by name, in order of creation. */
  private static final Fold<Map<String, AccessToken>, List<AccessToken>> FOLD =
      Fold.of(
          "access-tokens",
          LinkedHashMap::new,
          AccessTokens::apply,
          tokens -> List.copyOf(tokens.values()));

  private final Ledger<List<AccessToken>> ledger;
  private final String storeId;

  private AccessTokens(Ralph ralph) {
    this.ledger = ralph.ledger(TOPIC, FOLD);
    this.storeId = ralph.log().info().storeId();
  }

  /** Returns the tokens of a store. */
  public static AccessTokens of(Ralph ralph) {
    return new AccessTokens(ralph);
  }

  private static void apply(Map<String, AccessToken> tokens, Frame frame) {
    Meta meta = frame.meta();
    String name = meta.string(NAME);
    String hash = meta.string(HASH);
    if (name == null) {
      return;
    }
    if (REVOKE.equals(meta.string(ACTION))) {
      tokens.remove(name);
    } else if (ADD.equals(meta.string(ACTION)) && hash != null) {
      Rights rights = rights(String.valueOf(meta.string(RIGHTS)));
      if (rights != null) {
        tokens.put(name, new AccessToken(name, rights, meta.string(SESSION), frame.time(), hash));
      }
    }
  }

  /** Returns the rights, or null for an unknown word, which grants no access. */
  private static @Nullable Rights rights(String word) {
    return switch (word) {
      case "all" -> Rights.ALL;
      case "look" -> Rights.LOOK;
      case "agent" -> Rights.AGENT;
      default -> null;
    };
  }

  /** Returns the tokens that are not revoked, in order of creation. */
  public List<AccessToken> list() {
    return ledger.state();
  }

  /**
   * Creates a token for a person.
   *
   * @param name the person's name, a segment of a topic
   * @param readOnly whether the person may only read
   * @return the token, which cannot be retrieved again
   * @throws RalphException INVALID if a token with the name exists, or the name is invalid
   */
  public String addPerson(String name, boolean readOnly) {
    return add(name, readOnly ? "look" : "all", null);
  }

  /**
   * Creates a token for an agent on any machine, which works on a session.
   *
   * @param name the agent's name, a segment of a topic, which owns the agent's tasks
   * @param session the only session that the agent can access
   * @return the token, which cannot be retrieved again
   * @throws RalphException INVALID if a token with the name exists, or a name is invalid
   */
  public String addAgent(String name, String session) {
    return add(name, "agent", Topic.checkSegment("a session's name", session));
  }

  private String add(String name, String rights, @Nullable String session) {
    Topic.checkSegment("a token's name", name);
    String token = Token.random();
    Meta meta =
        Meta.of(ACTION, ADD)
            .with(NAME, name)
            .with(RIGHTS, rights)
            .with(SESSION, session)
            .with(HASH, hash(token));
    return ledger.decide(
        "creating a token for " + name,
        (tokens, now) -> {
          if (tokens.stream().anyMatch(each -> each.name().equals(name))) {
            throw RalphException.invalid(
                "token " + name + " already exists; revoke this token or choose a different name");
          }
          return Decision.append(Draft.of(TOPIC, meta), state -> token);
        });
  }

  /**
   * Revokes a token. Its holder loses access.
   *
   * @throws RalphException NOT_FOUND if no token has the name
   */
  public void revoke(String name) {
    Objects.requireNonNull(name, "name");
    boolean unused =
        ledger.<Boolean>decide(
            "revoking the token of " + name,
            (tokens, now) -> {
              if (tokens.stream().noneMatch(each -> each.name().equals(name))) {
                throw RalphException.notFound(
                    "no token named " + RalphException.quote(name) + available(tokens));
              }
              return Decision.append(
                  Draft.of(TOPIC, Meta.of(ACTION, REVOKE).with(NAME, name)), state -> true);
            });
  }

  private static String available(List<AccessToken> tokens) {
    return tokens.isEmpty()
        ? "; no tokens exist"
        : "; tokens: " + String.join(", ", tokens.stream().map(AccessToken::name).toList());
  }

  /** Returns the data of a token, or null if the token is unknown or revoked. */
  @Nullable AccessToken known(String token) {
    String hash = hash(token);
    AccessToken found = null;
    for (AccessToken each : ledger.state()) {
      if (Token.same(each.hash(), hash)) {
        found = each;
      }
    }
    return found;
  }

  private String hash(String token) {
    return Token.hash(storeId + " " + token);
  }
}
