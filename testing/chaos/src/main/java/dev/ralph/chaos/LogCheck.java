package dev.ralph.chaos;

import dev.ralph.chaos.Journal.Account;
import dev.ralph.chaos.Journal.Acknowledged;
import dev.ralph.chaos.WriterProgram.Step;
import dev.ralph.log.Damage;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks a log against the journals of its writers: no acknowledged frame is lost, no frame is
 * invented, duplicated or out of order, each batch is complete, and each condition was respected.
 * Writers may continue meanwhile: acknowledged frames are taken from the journals as read before
 * the log, and attempted frames from the journals as read after the log.
 */
final class LogCheck {

  private final List<WriterProgram> programs;
  private final List<String> wrong = new ArrayList<>();
  private final List<Map<Integer, List<String>>> found = new ArrayList<>();
  private final Set<String> ids = new HashSet<>();
  private final int[] lastStep;
  private long frames;
  private long characters;
  private long lastCount;
  private @Nullable Position lastPosition;

  // The batch currently read.
  private @Nullable Step open;
  private final List<String> openIds = new ArrayList<>();

  private LogCheck(List<WriterProgram> programs) {
    this.programs = programs;
    this.lastStep = new int[programs.size()];
    programs.forEach(program -> found.add(new HashMap<>()));
  }

  /** The result of a check: counts and errors. */
  record Result(
      long batches, long frames, long characters, long unacknowledged, List<String> wrong) {}

  interface Accounts {
    List<Account> read() throws IOException;
  }

  static Result of(FrameStore store, List<WriterProgram> programs, Accounts accounts)
      throws IOException {
    LogCheck check = new LogCheck(programs);
    List<Account> before = accounts.read();
    try {
      check.readLog(store);
    } catch (RalphException e) {
      check.fail("unreadable: " + e.getMessage());
    }
    List<Account> after = accounts.read();
    check.compare(before, after);
    for (Damage damage : store.verify()) {
      check.fail("damage: " + damage);
    }
    if (check.wrong.isEmpty()) {
      check.readTopics(store);
    }
    long batches = before.stream().mapToLong(account -> account.acknowledged().size()).sum();
    long held = check.found.stream().mapToLong(Map::size).sum();
    long acknowledgedAfter =
        after.stream().mapToLong(account -> account.acknowledged().size()).sum();
    return new Result(
        batches,
        check.frames,
        check.characters,
        Math.max(0, held - acknowledgedAfter),
        List.copyOf(check.wrong));
  }

  private void fail(String problem) {
    if (wrong.size() < 50) {
      wrong.add(problem);
    }
  }

  private void readLog(FrameStore store) {
    Optional<Frame> last = store.last(TopicFilter.all());
    if (last.isEmpty()) {
      return;
    }
    // Stops at the present end, because the writers may be faster than this reader.
    Query query = Query.of(TopicFilter.all()).until(last.get().position());
    try (FrameCursor cursor = store.read(query)) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        read(frame);
      }
    }
    endBatch();
  }

  private void read(Frame frame) {
    frames++;
    characters += frame.content().length();
    if (lastPosition != null && !frame.position().isAfter(lastPosition)) {
      fail("out of order: position " + frame.position() + " after " + lastPosition);
    }
    lastPosition = frame.position();
    if (!ids.add(frame.id())) {
      fail("duplicate: the frame " + frame.id());
    }
    int writer = (int) frame.meta().integer("w").orElse(-1);
    int number = (int) frame.meta().integer("step").orElse(-1);
    if (writer < 0 || writer >= programs.size()) {
      fail("invented: a frame of writer " + writer + " at " + frame.position());
      return;
    }
    Step current = open;
    if (current == null || current.program().writer() != writer || current.number() != number) {
      endBatch();
      current = programs.get(writer).step(number);
      open = current;
      if (number <= lastStep[writer]) {
        fail(
            "out of order: step " + number + " of writer " + writer + " after " + lastStep[writer]);
      }
      lastStep[writer] = number;
    }
    if (openIds.size() >= current.lengths().size() || !current.made(frame, openIds.size())) {
      fail("wrong: frame " + openIds.size() + " of " + name(current) + " at " + frame.position());
    }
    openIds.add(frame.id());
    if (current.counts()) {
      long count = frame.meta().integer("count").orElse(-1);
      if (count != lastCount + 1) {
        fail("a condition was ignored: " + count + " was counted after " + lastCount);
      }
      lastCount = count;
    }
  }

  private void endBatch() {
    Step ended = open;
    if (ended != null) {
      if (openIds.size() != ended.lengths().size()) {
        fail("incomplete: " + openIds.size() + " frames of " + name(ended));
      }
      found.get(ended.program().writer()).put(ended.number(), List.copyOf(openIds));
    }
    open = null;
    openIds.clear();
  }

  private static String name(Step step) {
    return "step " + step.number() + " of writer " + step.program().writer();
  }

  private void compare(List<Account> before, List<Account> after) {
    for (int writer = 0; writer < programs.size(); writer++) {
      Map<Integer, List<String>> held = found.get(writer);
      for (Map.Entry<Integer, Acknowledged> entry : before.get(writer).acknowledged().entrySet()) {
        List<String> there = held.get(entry.getKey());
        Acknowledged acknowledged = entry.getValue();
        if (there == null && !acknowledged.mayBeLost()) {
          fail("lost: step " + entry.getKey() + " of writer " + writer + ", acknowledged");
        } else if (there != null && !there.equals(acknowledged.ids())) {
          fail("wrong ids: step " + entry.getKey() + " of writer " + writer);
        }
      }
      for (int step : held.keySet()) {
        if (!after.get(writer).tried().contains(step)) {
          fail("invented: step " + step + " of writer " + writer + " was never tried");
        }
        if (after.get(writer).refused().contains(step)) {
          fail("invented: step " + step + " of writer " + writer + " was refused");
        }
      }
    }
  }

  /** Reads the topic of each writer, which uses the index. */
  private void readTopics(FrameStore store) {
    for (WriterProgram program : programs) {
      Query query = Query.of(TopicFilter.of(program.topic()));
      if (lastPosition != null) {
        query = query.until(lastPosition);
      }
      Set<String> expected = new HashSet<>();
      found
          .get(program.writer())
          .forEach(
              (step, batch) -> {
                if (!program.step(step).counts()) {
                  expected.addAll(batch);
                }
              });
      Set<String> seen = new HashSet<>();
      try (FrameCursor cursor = store.read(query)) {
        for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
          seen.add(frame.id());
        }
      }
      if (!seen.equals(expected)) {
        fail(
            "the topic of writer "
                + program.writer()
                + " read by itself has "
                + seen.size()
                + " frames, and in the whole log "
                + expected.size());
      }
    }
  }
}
