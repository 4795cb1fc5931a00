package dev.ralph.spring.boot;

import dev.ralph.internal.FailureStatus;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatus;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.handler.AbstractHandlerExceptionResolver;

/**
 * Answers a failure of a controller with problem details (RFC 9457), unless the application
 * resolves the failure. The message of a failure inside the server may name files and hosts, so the
 * message is logged and not sent.
 */
final class ProblemResolver extends AbstractHandlerExceptionResolver {

  private static final System.Logger LOG = System.getLogger(ProblemResolver.class.getName());

  ProblemResolver() {
    setOrder(Ordered.LOWEST_PRECEDENCE);
  }

  @Override
  protected @Nullable ModelAndView doResolveException(
      HttpServletRequest request,
      HttpServletResponse response,
      @Nullable Object handler,
      Exception thrown) {
    if (!(thrown instanceof RalphException failure) || response.isCommitted()) {
      return null;
    }
    int status = FailureStatus.of(failure.code());
    String detail = failure.getMessage();
    if (status >= 500) {
      LOG.log(Level.WARNING, "a request failed", failure);
      detail = "the request failed; see the application's log";
    }
    HttpStatus known = HttpStatus.resolve(status);
    byte[] problem =
        Meta.of("type", "about:blank")
            .with("title", known == null ? null : known.getReasonPhrase())
            .with("status", status)
            .with("detail", detail)
            .with("instance", request.getRequestURI())
            .with("code", failure.code().name())
            .json()
            .getBytes(StandardCharsets.UTF_8);
    response.setStatus(status);
    response.setContentType("application/problem+json");
    try {
      response.getOutputStream().write(problem);
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "the client has disconnected", e);
    }
    return new ModelAndView();
  }
}
