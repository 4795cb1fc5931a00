package dev.ralph.spring.boot;

import dev.ralph.log.Meta;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Writes ended spans to a file, one per line. */
record SpanFile(Path file, String process) implements SpanExporter {

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    List<String> lines = new ArrayList<>();
    for (SpanData span : spans) {
      lines.add(
          Meta.of("process", process)
              .with("name", span.getName())
              .with("trace", span.getTraceId())
              .with("id", span.getSpanId())
              .with("parent", span.getParentSpanId())
              .with("from", span.getStartEpochNanos())
              .with("to", span.getEndEpochNanos())
              .json());
    }
    try {
      Files.write(file, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode flush() {
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode shutdown() {
    return CompletableResultCode.ofSuccess();
  }
}
