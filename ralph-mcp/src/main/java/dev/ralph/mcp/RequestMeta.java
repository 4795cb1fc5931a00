package dev.ralph.mcp;

import dev.ralph.log.Meta;
import org.jspecify.annotations.Nullable;

/**
 * What a request says of itself since revision 2026-07-28, where no request before it has said
 * anything for it.
 */
final class RequestMeta {

  /** The revision that is spoken so. */
  static final String VERSION = "2026-07-28";

  static final String PREFIX = "io.modelcontextprotocol/";

  private static final String PROTOCOL_VERSION = PREFIX + "protocolVersion";
  private static final String CAPABILITIES = PREFIX + "clientCapabilities";

  private RequestMeta() {}

  /** Returns whether a request speaks for itself. */
  static boolean isIn(Meta params) {
    Meta meta = params.object("_meta");
    return meta != null && meta.has(PROTOCOL_VERSION);
  }

  /** Returns the revision that a request is in; null if it does not say so. */
  static @Nullable String version(Meta params) {
    Meta meta = params.object("_meta");
    return meta == null ? null : meta.string(PROTOCOL_VERSION);
  }

  /** Returns what a request lacks; null if it lacks nothing. */
  static @Nullable String missing(Meta params) {
    Meta meta = params.object("_meta");
    if (meta == null || meta.string(PROTOCOL_VERSION) == null) {
      return "_meta needs " + PROTOCOL_VERSION + ", which is a text: \"" + VERSION + "\"";
    }
    return meta.object(CAPABILITIES) == null
        ? "_meta needs " + CAPABILITIES + ", which is an object"
        : null;
  }
}
