package dev.ralph.core;

import dev.ralph.Ralph;
import dev.ralph.core.internal.list.ListDifference;
import dev.ralph.core.internal.list.ListDifference.Change;
import dev.ralph.core.internal.text.EscapedName;
import dev.ralph.core.internal.text.Sha256;
import dev.ralph.domain.StateCodec;
import dev.ralph.internal.UnicodeText;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Ledger;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.log.View;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Lists of texts with ids chosen by the caller, such as the messages of conversations.
 *
 * <pre>{@code
 * ListLog chats = ListLog.of(ralph, "chats");
 * chats.append("user:42/café", List.of("Hello"));
 * List<String> messages = chats.get("user:42/café");
 * }</pre>
 *
 * <p>Only changed texts are written. Texts removed by {@link #replace} are not returned any more,
 * but stay in the log until the list is deleted. A write of any length is atomic: texts beyond the
 * size of a batch are appended first, and a last batch applies them. Unpaired surrogates in texts
 * are replaced by U+FFFD. Safe for use by many threads and processes.
 */
public final class ListLog {

  /** The maximum number of lists in memory; other lists are read again. */
  private static final int KEPT = 256;

  /**
   * The prefix of hashed ids. No escaped id starts with this prefix, because a hyphen after the
   * first two would be escaped.
   */
  private static final String HASHED = "---";

  /** The actions of frames with the content of a list. */
  private static final Set<String> WRITES =
      Set.of("add", "cut", "set", "insert", "stage", "splice");

  /** The maximum number of characters in a batch; longer writes are staged. */
  private static final int MOST_CHARACTERS = 8 << 20;

  /** The maximum number of incomplete staged writes kept per list. */
  private static final int STAGES = 16;

  /** The maximum number of restarts of a staged write after concurrent changes. */
  private static final int TRIES = 10;

  private static final Fold<Ids, List<String>> IDS =
      Fold.of("dev.ralph.list.ids", 1, Ids::new, Ids::apply, Ids::sorted, new IdsCodec());

  private static final Fold<Entries, Shown> ENTRIES =
      Fold.of("dev.ralph.list", Entries::new, Entries::apply, Entries::show);

  private final Ralph ralph;
  private final Topic scope;
  private final Topic index;
  private final View<List<String>> ids;

  private final Map<String, Ledger<Shown>> kept =
      Collections.synchronizedMap(
          new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Ledger<Shown>> eldest) {
              return size() > KEPT;
            }
          });

  private ListLog(Ralph ralph, Topic scope) {
    this.ralph = ralph;
    this.scope = scope;
    this.index = scope.child("index");
    this.ids = ralph.view(index, IDS);
  }

  /**
   * Returns the lists with a name. Reuse the returned object, because reads are cached.
   *
   * @param name 1 to 100 letters, digits, {@code _} and {@code -}
   * @throws RalphException INVALID for an invalid name
   */
  public static ListLog of(Ralph ralph, String name) {
    Objects.requireNonNull(ralph, "ralph");
    Objects.requireNonNull(name, "name");
    if (name.length() > 100) {
      throw RalphException.invalid("the name of lists must have at most 100 characters");
    }
    return new ListLog(ralph, Topic.of("list").child(Topic.checkSegment("name of lists", name)));
  }

  /** Returns the texts of a list; empty for an unknown list. */
  public List<String> get(String id) {
    return ledger(segment(id)).state().texts;
  }

  /**
   * Appends texts to a list. The first text creates the list.
   *
   * @throws RalphException INVALID if the id is empty, or if a text is longer than the maximum
   *     content of a frame
   */
  public void append(String id, List<String> texts) {
    Objects.requireNonNull(id, "id");
    List<String> added = unicode(texts);
    write(id, "adding to", before -> concat(before, added));
  }

  /**
   * Replaces the texts of a list. Writes only the changes. A list without texts is still listed.
   *
   * @throws RalphException as {@link #append}
   */
  public void replace(String id, List<String> texts) {
    Objects.requireNonNull(id, "id");
    List<String> wanted = unicode(texts);
    write(id, "writing", before -> wanted);
  }

  /**
   * Deletes a list. The list is not listed any more. If the store {@linkplain
   * StoreInfo.Capability#ERASES can erase}, its texts are removed from the store's files. An id
   * shorter than about 100 letters stays as the name of the empty topic. Later and concurrent
   * writes to the id create a new list.
   *
   * @return whether the list existed
   */
  public boolean delete(String id) {
    String segment = segment(id);
    Topic topic = topic(segment);
    boolean wasThere =
        ledger(segment)
            .decide(
                "deleting the list " + RalphException.quote(id),
                (state, now) ->
                    state.exists
                        ? Decision.append(
                            List.of(
                                Draft.of(topic, Meta.of("action", "delete")),
                                Draft.of(index, Meta.of("action", "delete").with("of", segment))),
                            (after, frames) -> true)
                        : Decision.nothing(false));
    // Also for a deleted list, because the erasure may have been interrupted.
    if (ralph.log().info().capabilities().contains(StoreInfo.Capability.ERASES)) {
      erase(segment, topic);
    }
    return wasThere;
  }

  /** Erases the frames before the newest deletion of a list. */
  private void erase(String segment, Topic topic) {
    List<String> doomed = new ArrayList<>();
    List<String> sinceDeletion = new ArrayList<>();
    try (FrameCursor frames = ralph.log().read(Query.of(TopicFilter.of(topic)))) {
      for (Frame frame = frames.next(); frame != null; frame = frames.next()) {
        if (is(frame, "delete")) {
          doomed.addAll(sinceDeletion);
          sinceDeletion.clear();
        } else if (WRITES.contains(String.valueOf(frame.meta().string("action")))) {
          sinceDeletion.add(frame.id());
        }
      }
    }
    if (!doomed.isEmpty() && segment.startsWith(HASHED)) {
      addNamings(segment, doomed);
    }
    if (!doomed.isEmpty()) {
      ralph.log().erase(doomed);
    }
  }

  /** Adds the index frames with the id of a list with a hashed name. */
  private void addNamings(String segment, List<String> doomed) {
    List<String> namings = new ArrayList<>();
    try (FrameCursor frames = ralph.log().read(Query.of(TopicFilter.of(index)))) {
      for (Frame frame = frames.next(); frame != null; frame = frames.next()) {
        if (segment.equals(frame.meta().string("of"))) {
          if (is(frame, "delete")) {
            doomed.addAll(namings);
            namings.clear();
          } else {
            namings.add(frame.id());
          }
        }
      }
    }
  }

  /**
   * Returns a page of the ids of existing lists, sorted. Does not read the lists.
   *
   * @param prefix the common prefix of the ids; empty for all
   * @param after the last id of the previous page; empty for the first page
   * @param limit the maximum number of ids; 0 returns an empty page
   * @throws RalphException INVALID if the limit is negative
   */
  public List<String> ids(String prefix, String after, int limit) {
    Objects.requireNonNull(prefix, "prefix");
    Objects.requireNonNull(after, "after");
    if (limit < 0) {
      throw RalphException.invalid("a limit must not be negative: " + limit);
    }
    List<String> all = ids.current();
    int from = after.compareTo(prefix) < 0 ? place(all, prefix) : place(all, after);
    int to = from;
    if (from < all.size() && !after.isEmpty() && all.get(from).equals(after)) {
      to = ++from;
    }
    while (to < all.size() && to - from < limit && all.get(to).startsWith(prefix)) {
      to++;
    }
    return List.copyOf(all.subList(from, to));
  }

  /** Returns the index of the first id that is not less. */
  private static int place(List<String> sorted, String id) {
    int found = Collections.binarySearch(sorted, id);
    return found < 0 ? -found - 1 : found;
  }

  private void write(String id, String verb, UnaryOperator<List<String>> texts) {
    ListWriter writer = new ListWriter(id, verb + " the list " + RalphException.quote(id), texts);
    for (int tries = 0; !writer.write(); tries++) {
      if (tries == TRIES) {
        throw RalphException.contended(
            writer.what + ": concurrent writers changed the list " + tries + " times; try again");
      }
    }
  }

  private static List<String> unicode(List<String> texts) {
    List<String> checked = new ArrayList<>(Objects.requireNonNull(texts, "texts").size());
    for (String text : texts) {
      checked.add(UnicodeText.of(Objects.requireNonNull(text, "text")));
    }
    return List.copyOf(checked);
  }

  private static List<String> concat(List<String> first, List<String> second) {
    List<String> both = new ArrayList<>(first);
    both.addAll(second);
    return both;
  }

  private Ledger<Shown> ledger(String segment) {
    return kept.computeIfAbsent(segment, each -> ralph.ledger(topic(each), ENTRIES));
  }

  private Topic topic(String segment) {
    return scope.child("of").child(segment);
  }

  private static String segment(String id) {
    Objects.requireNonNull(id, "id");
    if (RalphException.requireUnicode("the list id", id).isEmpty()) {
      throw RalphException.invalid("the list id must not be empty");
    }
    String escaped = EscapedName.of(id);
    return escaped.length() <= EscapedName.LONGEST ? escaped : HASHED + Sha256.of(id);
  }

  private static boolean is(Frame frame, String action) {
    return action.equals(frame.meta().string("action"));
  }

  /** The ids of existing lists. */
  private static final class Ids {

    /** Sorted. Immutable; replaced after changes. */
    private List<String> sorted = List.of();

    /** The changes since the last sort: whether the id exists. */
    private final TreeMap<String, Boolean> changes = new TreeMap<>();

    /** The ids of lists with hashed names, by name. */
    final Map<String, String> hashed = new HashMap<>();

    void apply(Frame frame) {
      String segment = frame.meta().string("of");
      if (segment == null) {
        return;
      }
      if (is(frame, "add")) {
        String id = frame.meta().string("id");
        if (id != null) {
          hashed.put(segment, id);
        }
        change(segment, id, true);
      } else if (is(frame, "delete")) {
        change(segment, hashed.remove(segment), false);
      }
    }

    private void change(String segment, @Nullable String id, boolean isThere) {
      String listed = id == null ? EscapedName.name(segment) : id;
      if (listed != null) {
        changes.put(listed, isThere);
      }
    }

    /** Merges the few changes since the last page, without sorting or comparing the other ids. */
    List<String> sorted() {
      if (!changes.isEmpty()) {
        List<String> merged = new ArrayList<>(sorted.size() + changes.size());
        int from = 0;
        for (Map.Entry<String, Boolean> change : changes.entrySet()) {
          int to = place(sorted, change.getKey());
          merged.addAll(sorted.subList(from, to));
          if (change.getValue()) {
            merged.add(change.getKey());
          }
          boolean wasThere = to < sorted.size() && sorted.get(to).equals(change.getKey());
          from = wasThere ? to + 1 : to;
        }
        merged.addAll(sorted.subList(from, sorted.size()));
        sorted = Collections.unmodifiableList(merged);
        changes.clear();
      }
      return sorted;
    }
  }

  private static final class IdsCodec extends StateCodec<Ids> {

    @Override
    protected void write(Ids state, Output out) {
      List<String> sorted = state.sorted();
      out.number(sorted.size());
      sorted.forEach(out::text);
      out.number(state.hashed.size());
      state.hashed.forEach(
          (segment, id) -> {
            out.text(segment);
            out.text(id);
          });
    }

    @Override
    protected Ids read(Input in) throws IOException {
      Ids state = new Ids();
      int count = in.count();
      List<String> sorted = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        sorted.add(in.text());
      }
      state.sorted = Collections.unmodifiableList(sorted);
      for (long left = in.number(); left > 0; left--) {
        state.hashed.put(in.text(), in.text());
      }
      return state;
    }
  }

  /** A write to a list. */
  private final class ListWriter {

    private final String id;
    private final String segment;
    private final Topic topic;
    private final String what;
    private final UnaryOperator<List<String>> texts;
    private final int mostFrames;

    /** The staged texts; empty before staging. */
    private List<String> staged = List.of();

    /** The unique name under which the texts are staged; empty before staging. */
    private String stage = "";

    ListWriter(String id, String what, UnaryOperator<List<String>> texts) {
      this.id = id;
      this.segment = segment(id);
      this.topic = topic(segment);
      this.what = what;
      this.texts = texts;
      this.mostFrames = ralph.log().info().maxBatchFrames();
    }

    /**
     * Returns whether the write is complete. If not, its texts are staged and the call must be
     * repeated.
     */
    boolean write() {
      List<String> missing =
          ledger(segment).<List<String>>decide(what, (state, now) -> decide(state));
      if (missing.isEmpty()) {
        return true;
      }
      stage(missing);
      return false;
    }

    /** Decides the write. Returns the texts to stage first, or an empty list after the write. */
    private Decision<Shown, List<String>> decide(Shown state) {
      List<String> wanted = texts.apply(state.texts);
      List<Change> changes = ListDifference.between(state.texts, wanted);
      List<Draft> drafts = new ArrayList<>();
      if (isShort(changes)) {
        int size = state.texts.size();
        for (Change change : changes) {
          addDrafts(change, size, drafts);
          size += change.inserted().size() - change.removed();
        }
      } else {
        changes = fewer(changes, wanted);
        List<String> needed = new ArrayList<>();
        changes.forEach(change -> needed.addAll(change.inserted()));
        // Compared with the state, because the stage may have been dropped or used by another
        // write.
        if (staged.isEmpty() || !needed.equals(state.stages.get(stage))) {
          return Decision.nothing(List.copyOf(needed));
        }
        int from = 0;
        for (Change change : changes) {
          drafts.add(splice(change, from));
          from += change.inserted().size();
        }
      }
      if (!drafts.isEmpty() && !state.exists) {
        Meta begun = Meta.of("action", "add").with("of", segment);
        drafts.add(Draft.of(index, segment.startsWith(HASHED) ? begun.with("id", id) : begun));
      }
      return Decision.append(drafts, (after, frames) -> List.of());
    }

    /** Returns whether the changes and the index frame fit in a batch. */
    private boolean isShort(List<Change> changes) {
      long frames = 1;
      long characters = 0;
      for (Change change : changes) {
        frames += change.inserted().size() + 1;
        for (String text : change.inserted()) {
          characters += text.length();
        }
      }
      return frames <= mostFrames
          && (characters <= MOST_CHARACTERS
              || changes.size() == 1 && changes.get(0).inserted().size() == 1);
    }

    /** Returns the changes, or a single equivalent change if they exceed a batch. */
    private List<Change> fewer(List<Change> changes, List<String> to) {
      if (changes.size() < mostFrames) {
        return changes;
      }
      int at = changes.get(0).at();
      int removed = 0;
      int inserted = 0;
      for (Change change : changes) {
        removed += change.removed();
        inserted += change.inserted().size();
      }
      Change last = changes.get(changes.size() - 1);
      int end = last.at() + last.inserted().size();
      int kept = end - at - inserted;
      return List.of(new Change(at, removed + kept, to.subList(at, end)));
    }

    private void addDrafts(Change change, int size, List<Draft> drafts) {
      int at = change.at();
      int set = Math.min(change.removed(), change.inserted().size());
      for (String text : change.inserted().subList(0, set)) {
        drafts.add(Draft.of(topic, Meta.of("action", "set").with("at", at++), text));
      }
      if (change.removed() > set) {
        drafts.add(
            Draft.of(
                topic, Meta.of("action", "cut").with("at", at).with("n", change.removed() - set)));
      }
      for (String text : change.inserted().subList(set, change.inserted().size())) {
        Meta add = Meta.of("action", "add");
        drafts.add(
            at == size
                ? Draft.of(topic, add, text)
                : Draft.of(topic, Meta.of("action", "insert").with("at", at), text));
        at++;
        size++;
      }
    }

    private Draft splice(Change change, int from) {
      return Draft.of(
          topic,
          Meta.of("action", "splice")
              .with("at", change.at())
              .with("n", change.removed())
              .with("stage", stage)
              .with("from", from)
              .with("count", change.inserted().size()));
    }

    /** Appends texts outside the list, for a later splice. */
    private void stage(List<String> needed) {
      stage = UUID.randomUUID().toString();
      staged = needed;
      Meta meta = Meta.of("action", "stage").with("stage", stage);
      List<Draft> part = new ArrayList<>();
      long characters = 0;
      for (String text : needed) {
        if (part.size() == mostFrames || !part.isEmpty() && characters > MOST_CHARACTERS) {
          append(part);
          part.clear();
          characters = 0;
        }
        part.add(Draft.of(topic, meta, text));
        characters += text.length();
      }
      append(part);
    }

    private void append(List<Draft> part) {
      ledger(segment).decide(what, (state, now) -> Decision.append(part, (after, frames) -> true));
    }
  }

  /** The view of a list. */
  private record Shown(boolean exists, List<String> texts, Map<String, List<String>> stages) {}

  /** The state of a list. Ignores frames that do not match the list. */
  private static final class Entries {
    private boolean exists;
    private final List<String> texts = new ArrayList<>();

    /** The staged texts by stage name, the oldest stage first. */
    private final Map<String, List<String>> stages = new LinkedHashMap<>();

    void apply(Frame frame) {
      Meta meta = frame.meta();
      int at = number(meta, "at");
      int n = number(meta, "n");
      if (is(frame, "add")) {
        texts.add(frame.content());
        exists = true;
      } else if (is(frame, "delete")) {
        texts.clear();
        stages.clear();
        exists = false;
      } else if (is(frame, "cut")) {
        if (at >= 0 && n > 0 && at <= texts.size() - n) {
          texts.subList(at, at + n).clear();
        }
      } else if (is(frame, "set")) {
        if (at >= 0 && at < texts.size()) {
          texts.set(at, frame.content());
        }
      } else if (is(frame, "insert")) {
        if (at >= 0 && at <= texts.size()) {
          texts.add(at, frame.content());
          exists = true;
        }
      } else if (is(frame, "stage")) {
        stage(meta.string("stage"), frame.content());
      } else if (is(frame, "splice")) {
        splice(at, n, meta);
      }
    }

    private void stage(@Nullable String name, String text) {
      if (name != null) {
        stages.computeIfAbsent(name, none -> new ArrayList<>()).add(text);
        if (stages.size() > STAGES) {
          stages.remove(stages.keySet().iterator().next());
        }
      }
    }

    private void splice(int at, int n, Meta meta) {
      String name = meta.string("stage");
      List<String> staged = name == null ? null : stages.get(name);
      int from = number(meta, "from");
      int count = number(meta, "count");
      if (staged != null
          && at >= 0
          && n >= 0
          && at <= texts.size() - n
          && from >= 0
          && count >= 0
          && from <= staged.size() - count) {
        texts.subList(at, at + n).clear();
        texts.addAll(at, staged.subList(from, from + count));
        exists = true;
        if (from + count == staged.size()) {
          stages.remove(name);
        }
      }
    }

    /** Returns a non-negative integer member, or -1. */
    private static int number(Meta meta, String key) {
      long number = meta.integer(key).orElse(-1);
      return number < 0 || number > Integer.MAX_VALUE ? -1 : (int) number;
    }

    Shown show() {
      Map<String, List<String>> copies = new HashMap<>();
      stages.forEach((name, staged) -> copies.put(name, List.copyOf(staged)));
      return new Shown(exists, List.copyOf(texts), copies);
    }
  }
}
