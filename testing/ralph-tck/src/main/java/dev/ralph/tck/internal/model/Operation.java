package dev.ralph.tck.internal.model;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.tck.internal.FrameValues;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An operation of a random program. Operations refer to positions and frames by number, and
 * therefore stay valid after a removal of other operations.
 */
interface Operation {

  /** Performs the operation on the store and compares the result with the model. */
  void on(ProgramRun run) throws InterruptedException;

  /** Returns simpler operations to try instead of this one in a failing program. */
  default List<Operation> plainer() {
    return List.of();
  }

  /** Returns a random operation. */
  static Operation random(Random random) {
    int kind = random.nextInt(100);
    if (kind < 38) {
      return Append.random(random);
    } else if (kind < 52) {
      return new Read(Selection.random(random));
    } else if (kind < 57) {
      return new Get(random.nextInt(50));
    } else if (kind < 62) {
      return new Last(randomFilter(random));
    } else if (kind < 66) {
      return new Topics(randomFilter(random));
    } else if (kind < 70) {
      return new FindBatch(random.nextInt(30));
    } else if (kind < 75) {
      return new OpenCursor(random.nextInt(2), Selection.random(random).forward());
    } else if (kind < 81) {
      return new Next(random.nextInt(2), 1 + random.nextInt(6));
    } else if (kind < 85) {
      return new Follow(random.nextInt(2), randomFilter(random), new Place(random.nextInt(40)));
    } else if (kind < 91) {
      return new Poll(random.nextInt(2), 1 + random.nextInt(6));
    } else if (kind < 95) {
      return new Reopen();
    } else if (kind < 98) {
      return new StepClock(random.nextInt(4_000) - 2_000);
    }
    return new KeepSnapshot(random.nextInt(3), random.nextInt(1_000));
  }

  private static String randomFilter(Random random) {
    List<String> filters =
        List.of("*", "m.a", "m.a.*", "m.a.b.*", "m.*", "m.ab", "m.a|m.ab.c", "m.a.b|z", "none.*");
    return filters.get(random.nextInt(filters.size()));
  }

  /** Returns the filter of patterns joined by {@code |}. */
  private static TopicFilter filter(String patterns) {
    String[] each = patterns.split("\\|");
    TopicFilter filter = TopicFilter.parse(each[0]);
    for (int i = 1; i < each.length; i++) {
      filter = filter.or(TopicFilter.parse(each[i]));
    }
    return filter;
  }

  /** A position in the log, as a number of frames modulo the length of the log. */
  record Place(int number) {

    int in(ModelLog log) {
      return number % (log.frames().size() + 1);
    }

    /** Returns all earlier places, which need fewer frames in the log. */
    Stream<Place> plainer() {
      return IntStream.range(0, number).mapToObj(Place::new);
    }

    @Override
    public String toString() {
      return number == 0 ? "the start" : "place " + number;
    }
  }

  /** The selection of a query. */
  record Selection(
      String filter,
      Place after,
      @Nullable Place until,
      boolean backward,
      @Nullable Integer limit) {

    static Selection random(Random random) {
      Place after = new Place(random.nextInt(3) == 0 ? random.nextInt(40) : 0);
      Place until = random.nextInt(4) == 0 ? new Place(random.nextInt(40)) : null;
      Integer limit = random.nextInt(3) == 0 ? random.nextInt(8) : null;
      return new Selection(randomFilter(random), after, until, random.nextBoolean(), limit);
    }

    Selection forward() {
      return new Selection(filter, after, until, false, limit);
    }

    Query in(ModelLog log) {
      Query query = Query.of(Operation.filter(filter)).after(log.positionAt(after.in(log)));
      if (until != null) {
        query = query.until(log.positionAt(until.in(log)));
      }
      if (limit != null) {
        query = query.limit(limit);
      }
      return backward ? query.backward() : query;
    }

    List<Selection> plainer() {
      List<Selection> plainer = new ArrayList<>();
      if (!filter.equals("*")) {
        plainer.add(new Selection("*", after, until, backward, limit));
      }
      after.plainer().forEach(p -> plainer.add(new Selection(filter, p, until, backward, limit)));
      if (until != null) {
        plainer.add(new Selection(filter, after, null, backward, limit));
        until.plainer().forEach(p -> plainer.add(new Selection(filter, after, p, backward, limit)));
      }
      if (limit != null) {
        plainer.add(new Selection(filter, after, until, backward, null));
        IntStream.range(0, limit)
            .forEach(n -> plainer.add(new Selection(filter, after, until, backward, n)));
      }
      if (backward) {
        plainer.add(new Selection(filter, after, until, false, limit));
      }
      return plainer;
    }

    @Override
    public String toString() {
      return filter
          + (after.number() == 0 ? "" : " after " + after)
          + (until == null ? "" : " until " + until)
          + (backward ? " backward" : "")
          + (limit == null ? "" : " limit " + limit);
    }
  }

  /** A frame to append. */
  record Written(String topic, String content, boolean withMeta, int importedAs) {

    private static final Instant LONG_AGO = Instant.parse("2020-02-29T12:00:00.001Z");
    private static final List<String> CONTENTS =
        List.of("x", "", "\0", "é😀\ud83d\udc69", "two\nlines\r\n", "long ".repeat(2_000));

    static Written random(Random random, List<String> topics) {
      return new Written(
          topics.get(random.nextInt(topics.size())),
          CONTENTS.get(random.nextInt(3) > 0 ? 0 : random.nextInt(CONTENTS.size())),
          random.nextBoolean(),
          random.nextInt(6) == 0 ? 1 + random.nextInt(6) : 0);
    }

    Draft draft() {
      Meta meta = withMeta ? Meta.of("action", "add").with("n", 1.50) : Meta.empty();
      return importedAs == 0
          ? Draft.of(Topic.of(topic), meta, content)
          : Draft.imported(importedId(importedAs), LONG_AGO, Topic.of(topic), meta, content);
    }

    /** Returns an id older or newer than all minted ids; some are not valid SCRU128 ids. */
    static String importedId(int number) {
      return (number % 2 == 0 ? "0" : "z") + ("" + number).repeat(24);
    }

    List<Written> plainer() {
      List<Written> plainer = new ArrayList<>();
      if (importedAs != 0) {
        plainer.add(new Written(topic, content, withMeta, 0));
      }
      if (withMeta) {
        plainer.add(new Written(topic, content, false, importedAs));
      }
      if (!content.equals("x")) {
        plainer.add(new Written(topic, "x", withMeta, importedAs));
      }
      return plainer;
    }

    @Override
    public String toString() {
      return topic
          + (importedAs == 0 ? "" : " imported as " + importedId(importedAs))
          + (withMeta ? " with meta" : "")
          + " "
          + shown();
    }

    private String shown() {
      String object = Meta.of("c", content).json();
      String text = object.substring("{'c':".length(), object.length() - 1);
      return text.length() <= 40 ? text : text.substring(0, 40) + "…\"";
    }
  }

  /** Appends a batch. */
  record Append(List<Written> frames, boolean synced, @Nullable String unless, Place decidedAt)
      implements Operation {

    private static final List<List<String>> SCOPES =
        List.of(
            List.of("m.a", "m.a.b", "m.a.b.c", "m.a.bc"), List.of("m.ab", "m.ab.c"), List.of("z"));

    /** The possible conditions for a batch of each scope. */
    private static final List<List<String>> CONDITIONS =
        List.of(
            List.of(
                "m.a|m.a.*",
                "m.a",
                "m.a.*",
                "m.a.b.*",
                "m.a.b",
                "m.a.b.c",
                "m.a|m.a.b.c",
                "m.a.none.*"),
            List.of("m.ab|m.ab.*", "m.ab", "m.ab.*", "m.ab.c", "m.ab.none"),
            List.of("z"));

    static Append random(Random random) {
      int scope = random.nextInt(3) > 0 ? 0 : random.nextInt(SCOPES.size());
      List<String> topics = SCOPES.get(scope);
      List<String> conditions = CONDITIONS.get(scope);
      int size = random.nextInt(3) > 0 ? 1 : 1 + random.nextInt(5);
      List<Written> frames = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        frames.add(Written.random(random, topics));
      }
      return new Append(
          frames,
          random.nextInt(4) == 0,
          random.nextInt(3) == 0 ? conditions.get(random.nextInt(conditions.size())) : null,
          new Place(random.nextInt(40)));
    }

    @Override
    public void on(ProgramRun run) {
      List<Draft> drafts = frames.stream().map(Written::draft).collect(Collectors.toList());
      Batch batch = Batch.of(run.newBatchId(), drafts).synced(synced);
      ModelLog log = run.model();
      run.append(
          unless == null
              ? batch
              : batch.onlyIf(
                  new Batch.Condition(filter(unless), log.positionAt(decidedAt.in(log)))));
    }

    @Override
    public List<Operation> plainer() {
      List<Operation> plainer = new ArrayList<>();
      if (unless != null) {
        plainer.add(new Append(frames, synced, null, new Place(0)));
        decidedAt
            .plainer()
            .forEach(place -> plainer.add(new Append(frames, synced, unless, place)));
      }
      for (int i = 0; i < frames.size() && frames.size() > 1; i++) {
        List<Written> fewer = new ArrayList<>(frames);
        fewer.remove(i);
        plainer.add(new Append(fewer, synced, unless, decidedAt));
      }
      for (int i = 0; i < frames.size(); i++) {
        for (Written frame : frames.get(i).plainer()) {
          List<Written> changed = new ArrayList<>(frames);
          changed.set(i, frame);
          plainer.add(new Append(changed, synced, unless, decidedAt));
        }
      }
      if (synced) {
        plainer.add(new Append(frames, false, unless, decidedAt));
      }
      return plainer;
    }

    @Override
    public String toString() {
      return "append "
          + frames
          + (synced ? " synced" : "")
          + (unless == null ? "" : " unless " + unless + " has come since " + decidedAt);
    }
  }

  /** Reads to the end with a new cursor. */
  record Read(Selection selection) implements Operation {

    @Override
    public void on(ProgramRun run) {
      run.read(selection.in(run.model()));
    }

    @Override
    public List<Operation> plainer() {
      return selection.plainer().stream().map(Read::new).collect(Collectors.toList());
    }

    @Override
    public String toString() {
      return "read " + selection;
    }
  }

  /** Gets an existing frame, an id that may be imported, or an absent id. */
  record Get(int number) implements Operation {

    @Override
    public void on(ProgramRun run) {
      List<FrameValues> frames = run.model().frames();
      boolean held = number >= 7 && !frames.isEmpty();
      run.get(held ? frames.get(number % frames.size()).id() : Written.importedId(number));
    }

    @Override
    public List<Operation> plainer() {
      return IntStream.range(0, number).mapToObj(Get::new).collect(Collectors.toList());
    }

    @Override
    public String toString() {
      return "get " + (number >= 7 ? "frame " + number : Written.importedId(number));
    }
  }

  /** Gets the newest frame. */
  record Last(String patterns) implements Operation {

    @Override
    public void on(ProgramRun run) {
      run.last(filter(patterns));
    }

    @Override
    public List<Operation> plainer() {
      return patterns.equals("*") ? List.of() : List.of(new Last("*"));
    }

    @Override
    public String toString() {
      return "last " + patterns;
    }
  }

  /** Gets the topics. */
  record Topics(String patterns) implements Operation {

    @Override
    public void on(ProgramRun run) {
      run.topics(filter(patterns));
    }

    @Override
    public List<Operation> plainer() {
      return patterns.equals("*") ? List.of() : List.of(new Topics("*"));
    }

    @Override
    public String toString() {
      return "topics " + patterns;
    }
  }

  /** Looks up an existing or an absent batch. */
  record FindBatch(int number) implements Operation {

    @Override
    public void on(ProgramRun run) {
      run.findBatch(number);
    }

    @Override
    public List<Operation> plainer() {
      return IntStream.range(0, number).mapToObj(FindBatch::new).collect(Collectors.toList());
    }

    @Override
    public String toString() {
      return "find batch " + number;
    }
  }

  /** Opens a forward cursor and replaces the previous one of this slot. */
  record OpenCursor(int slot, Selection selection) implements Operation {

    @Override
    public void on(ProgramRun run) {
      run.openCursor(slot, selection.in(run.model()));
    }

    @Override
    public List<Operation> plainer() {
      return selection.plainer().stream()
          .map(plainer -> new OpenCursor(slot, plainer))
          .collect(Collectors.toList());
    }

    @Override
    public String toString() {
      return "open cursor " + slot + " on " + selection;
    }
  }

  /** Takes frames from a cursor, if it is open. */
  record Next(int slot, int count) implements Operation {

    @Override
    public void on(ProgramRun run) {
      run.next(slot, count);
    }

    @Override
    public List<Operation> plainer() {
      return IntStream.range(1, count)
          .mapToObj(fewer -> new Next(slot, fewer))
          .collect(Collectors.toList());
    }

    @Override
    public String toString() {
      return "take " + count + " from cursor " + slot;
    }
  }

  /** Opens a follower and replaces the previous one of this slot. */
  record Follow(int slot, String patterns, Place after) implements Operation {

    @Override
    public void on(ProgramRun run) {
      run.follow(
          slot, Query.of(filter(patterns)).after(run.model().positionAt(after.in(run.model()))));
    }

    @Override
    public List<Operation> plainer() {
      List<Operation> plainer = new ArrayList<>();
      if (!patterns.equals("*")) {
        plainer.add(new Follow(slot, "*", after));
      }
      after.plainer().forEach(place -> plainer.add(new Follow(slot, patterns, place)));
      return plainer;
    }

    @Override
    public String toString() {
      return "open follower " + slot + " on " + patterns + " after " + after;
    }
  }

  /** Takes frames from a follower, if it is open. */
  record Poll(int slot, int count) implements Operation {

    @Override
    public void on(ProgramRun run) throws InterruptedException {
      run.poll(slot, count);
    }

    @Override
    public List<Operation> plainer() {
      return IntStream.range(1, count)
          .mapToObj(fewer -> new Poll(slot, fewer))
          .collect(Collectors.toList());
    }

    @Override
    public String toString() {
      return "take " + count + " from follower " + slot;
    }
  }

  /** Closes and reopens the store; a store that is not persistent is then empty. */
  record Reopen() implements Operation {

    @Override
    public void on(ProgramRun run) {
      run.reopen();
    }

    @Override
    public String toString() {
      return "reopen";
    }
  }

  /** Moves the clock forward or back. */
  record StepClock(int milliseconds) implements Operation {

    @Override
    public void on(ProgramRun run) {
      run.stepClock(milliseconds);
    }

    @Override
    public String toString() {
      return "step the clock by " + milliseconds + " ms";
    }
  }

  /** Saves a snapshot of the newest frame, and loads all snapshots. */
  record KeepSnapshot(int key, int bytes) implements Operation {

    @Override
    public void on(ProgramRun run) {
      run.keepSnapshot(key, bytes);
    }

    @Override
    public String toString() {
      return "keep snapshot " + key + " of " + bytes + " bytes";
    }
  }
}
