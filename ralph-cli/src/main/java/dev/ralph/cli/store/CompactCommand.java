package dev.ralph.cli.store;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Json;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Query;
import dev.ralph.log.StoreInfo.Capability;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** {@code ralph compact}. */
public final class CompactCommand implements Command {

  private static final long KIBIBYTE = 1024;

  /** The topics of records and transcripts, which no state depends on. */
  private static final Pattern ERASABLE = Pattern.compile("ralph\\.[^.]+\\.(record|output)");

  /** The number of frames in an erasure. Appends to their session may wait for it. */
  private static final int ERASED_AT_ONCE = 1_000;

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("give back the space of erased frames in the store's log")
        .value(
            "before",
            "TIME",
            "first erase records and transcripts of iterations before a time or age (30d)")
        .store();
  }

  @Override
  public void run(Invocation call) {
    Instant before = call.arguments().past("before");
    FrameLog log = call.store().frames();
    // A store without the capability rejects the compaction, and keeps all frames.
    boolean compacts = log.info().capabilities().contains(Capability.COMPACTS);
    int erased = before != null && compacts ? erase(log, before) : 0;
    long freed = log.compact();
    long kibibytes = (freed + KIBIBYTE - 1) / KIBIBYTE;
    if (call.json()) {
      call.print(Json.of("compacted").with("frames", erased).with("bytes", freed).json());
    } else if (before != null) {
      call.print(
          "Erased "
              + ImportCommand.count(erased, "frame")
              + " permanently and freed "
              + kibibytes
              + " KiB");
    } else {
      call.print(freed == 0 ? "No space to free" : "Freed " + kibibytes + " KiB");
    }
  }

  private static int erase(FrameLog log, Instant before) {
    int erased = 0;
    for (Topic topic : log.topics(TopicFilter.parse("ralph.*"))) {
      if (ERASABLE.matcher(topic.name()).matches()) {
        erased += erase(log, topic, before);
      }
    }
    return erased;
  }

  private static int erase(FrameLog log, Topic topic, Instant before) {
    int erased = 0;
    List<String> ids = new ArrayList<>();
    try (FrameCursor frames = log.read(Query.of(TopicFilter.of(topic)))) {
      for (Frame frame = frames.next(); frame != null; frame = frames.next()) {
        if (frame.time().isBefore(before) && !frame.isErased() && !frame.isErasureNotice()) {
          ids.add(frame.id());
        }
        if (ids.size() == ERASED_AT_ONCE) {
          erased += log.erase(ids);
          ids.clear();
        }
      }
    }
    return erased + log.erase(ids);
  }
}
