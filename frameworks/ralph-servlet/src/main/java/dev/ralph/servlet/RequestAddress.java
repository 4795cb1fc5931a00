package dev.ralph.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.MappingMatch;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The address of a request, encoded anew from the path that the container has decoded. The
 * container has also removed path parameters such as {@code ;jsessionid=1}, and its filters and
 * access rules apply to the same path.
 *
 * @param mount the encoded path of the servlet, without a slash at the end
 * @param uri the address, whose encoded path begins with the mount
 */
record RequestAddress(String mount, URI uri) {

  /** The characters besides letters and digits that need no escape in a path. */
  private static final String LEGAL = "/-._~!$&'()*,;=:@";

  /**
   * Returns the address of a request.
   *
   * @throws URISyntaxException if the query is malformed
   */
  static RequestAddress of(HttpServletRequest request) throws URISyntaxException {
    String context = request.getServletContext().getContextPath();
    String servlet = request.getServletPath();
    String query = request.getQueryString();
    return request.getHttpServletMapping().getMappingMatch() == MappingMatch.DEFAULT
        ? of(context, "", servlet, query) // the mapping "/" makes the whole path the servlet's path
        : of(context, servlet, request.getPathInfo(), query);
  }

  /**
   * Returns an address.
   *
   * @param context the path of the context, empty for the root
   * @param servlet the decoded path of the servlet below its context
   * @param below the decoded path below the servlet, or null
   * @param query the encoded query, or null
   * @throws URISyntaxException if the query is malformed
   */
  static RequestAddress of(
      String context, String servlet, @Nullable String below, @Nullable String query)
      throws URISyntaxException {
    String mount = encoded(context + servlet);
    String path = mount + (below == null ? "" : encoded(below));
    // With a host, because a path that begins with two slashes would be read as a host.
    return new RequestAddress(
        mount, new URI("http://localhost" + path + (query == null ? "" : "?" + query)));
  }

  private static String encoded(String path) {
    StringBuilder encoded = new StringBuilder();
    for (byte each : path.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (each & 0xff);
      if (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
        encoded.append(c);
      } else if (LEGAL.indexOf(c) >= 0) {
        encoded.append(c);
      } else {
        encoded.append(String.format("%%%02X", (int) c));
      }
    }
    return encoded.toString();
  }
}
