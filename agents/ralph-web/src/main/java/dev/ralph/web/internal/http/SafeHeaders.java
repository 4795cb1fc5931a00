package dev.ralph.web.internal.http;

import com.sun.net.httpserver.Headers;

/** The headers of all responses that restrict browsers to scripts and content of this server. */
final class SafeHeaders {

  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
          + " img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

  private SafeHeaders() {}

  static void addTo(Headers headers) {
    headers.set("Content-Security-Policy", POLICY);
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set("Cross-Origin-Resource-Policy", "same-origin");
    headers.set("Cross-Origin-Opener-Policy", "same-origin");
    if (!headers.containsKey("Cache-Control")) {
      headers.set("Cache-Control", "no-store");
    }
  }
}
