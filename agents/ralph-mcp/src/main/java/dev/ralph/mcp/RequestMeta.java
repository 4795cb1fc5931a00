package dev.ralph.mcp;

import dev.ralph.log.Meta;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of a stateless request. Since revision 2026-07-28, each request contains the version
 * and capabilities of its client, and no earlier request is needed.
 */
final class RequestMeta {

  /** The stateless revision. */
  static final String VERSION = "2026-07-28";

  static final String PREFIX = "io.modelcontextprotocol/";

  private static final String PROTOCOL_VERSION = PREFIX + "protocolVersion";
  private static final String CAPABILITIES = PREFIX + "clientCapabilities";

  private RequestMeta() {}

  /** Returns whether a request is stateless. */
  static boolean isIn(Meta params) {
    Meta meta = params.object("_meta");
    return meta != null && meta.has(PROTOCOL_VERSION);
  }

  /** Returns the revision of a request, or null if the request does not state a revision. */
  static @Nullable String version(Meta params) {
    Meta meta = params.object("_meta");
    return meta == null ? null : meta.string(PROTOCOL_VERSION);
  }

  /** Returns an error message for missing metadata, or null. */
  static @Nullable String missing(Meta params) {
    Meta meta = params.object("_meta");
    if (meta == null || meta.string(PROTOCOL_VERSION) == null) {
      return "_meta needs " + PROTOCOL_VERSION + " (a text): \"" + VERSION + "\"";
    }
    return meta.object(CAPABILITIES) == null
        ? "_meta needs " + CAPABILITIES + " (an object)"
        : null;
  }
}
