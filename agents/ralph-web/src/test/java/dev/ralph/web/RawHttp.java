package dev.ralph.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Sends requests as raw bytes, so that tests can send invalid requests. */
public final class RawHttp {

  private final InetSocketAddress address;

  /** Creates a client of a server. */
  public RawHttp(InetSocketAddress address) {
    this.address = address;
  }

  /** Returns the response that the server sends until it closes the connection. */
  public String answer(String request) throws IOException {
    try (Socket socket = connect()) {
      ByteArrayOutputStream answer = new ByteArrayOutputStream();
      try {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        socket.getInputStream().transferTo(answer);
      } catch (IOException reset) {
        // The server may close the connection before it has read a refused request.
      }
      return answer.toString(StandardCharsets.UTF_8);
    }
  }

  /** Returns the response to a request with headers, one per line, and a body. */
  public String answer(String line, String headers, String body) throws IOException {
    String host = headers.contains("Host:") ? "" : "Host: localhost\r\n";
    return answer(
        line
            + " HTTP/1.1\r\nConnection: close\r\n"
            + host
            + headers.strip().replace("\n", "\r\n")
            + (headers.isBlank() ? "" : "\r\n")
            + (body.isEmpty()
                ? ""
                : "Content-Length: " + body.getBytes(StandardCharsets.UTF_8).length + "\r\n")
            + "\r\n"
            + body);
  }

  /** Opens a connection whose reads end after a minute. */
  public Socket connect() throws IOException {
    Socket socket = new Socket(address.getAddress(), address.getPort());
    socket.setSoTimeout(60_000);
    return socket;
  }

  /** Returns the status of a response, or 0 without a response. */
  public static int status(String answer) {
    return answer.startsWith("HTTP/1.1 ") ? Integer.parseInt(answer.substring(9, 12)) : 0;
  }
}
