package dev.ralph.web.internal.http;

import com.sun.net.httpserver.Headers;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Rejects requests that a page of another site makes a browser send: by a host name that resolves
 * to this machine (DNS rebinding), or by a form or script.
 */
final class SameSite {

  /** An IP address. A request for an address involves no name, so DNS rebinding is impossible. */
  private static final Pattern ADDRESS =
      Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|\\[[0-9a-f:.]+]");

  private final Set<String> names = new TreeSet<>(Set.of("localhost"));

  /**
   * Creates a check.
   *
   * @param more the host names of the server, in addition to {@code localhost} and addresses
   */
  SameSite(Set<String> more) {
    more.forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
  }

  /**
   * Checks the headers of a request.
   *
   * @throws HttpFailure 403 if the request is for another host, or from a page of another site
   */
  void check(Headers headers) {
    String host = one(headers, "Host");
    String name = host == null ? "" : name(host);
    if (host == null || !(names.contains(name) || ADDRESS.matcher(name).matches())) {
      throw new HttpFailure(
          403, "unknown name in the request's Host header; add the name when you start the server");
    }
    String origin = one(headers, "Origin");
    if (headers.containsKey("Origin") && !isFrom(origin, host)) {
      throw new HttpFailure(403, "cross-site requests are not allowed");
    }
    if ("cross-site".equals(headers.getFirst("Sec-Fetch-Site"))
        && !"navigate".equals(headers.getFirst("Sec-Fetch-Mode"))) {
      throw new HttpFailure(403, "cross-site requests are not allowed");
    }
  }

  private static boolean isFrom(@Nullable String origin, String host) {
    return origin != null
        && (origin.equalsIgnoreCase("http://" + host)
            || origin.equalsIgnoreCase("https://" + host));
  }

  /** Returns the only value of a header, or null. */
  private static @Nullable String one(Headers headers, String name) {
    var values = headers.get(name);
    return values == null || values.size() != 1 ? null : values.get(0);
  }

  /** Returns a host without its port. */
  private static String name(String host) {
    return host.replaceFirst(":[0-9]{1,5}$", "").toLowerCase(Locale.ROOT);
  }
}
