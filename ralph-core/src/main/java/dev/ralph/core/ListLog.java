package dev.ralph.core;

import dev.ralph.Ralph;
import dev.ralph.core.internal.text.EscapedName;
import dev.ralph.core.internal.text.Sha256;
import dev.ralph.domain.StateCodec;
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
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Lists of texts, each with an id of the host's own: the messages of conversations, for example.
 *
 * <pre>{@code
 * ListLog chats = ListLog.of(ralph, "chats");
 * chats.append("user:42/café", List.of("Hello"));
 * List<String> messages = chats.get("user:42/café");
 * }</pre>
 *
 * <p>Only what differs is written. What {@link #replace} takes out is not shown any more, but stays
 * in the log until the list is deleted. Safe for use by many threads and processes.
 */
public final class ListLog {

  /** How many lists are kept in memory; of others the frames are read again. */
  private static final int KEPT = 256;

  /** No name is escaped to this, because a hyphen behind the first two would be escaped too. */
  private static final String HASHED = "---";

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
   * Returns the lists of that name. Keep what is returned: it goes on with what it has read.
   *
   * @param name 1 to 100 letters, digits, {@code _} and {@code -}
   * @throws RalphException INVALID for any other name
   */
  public static ListLog of(Ralph ralph, String name) {
    Objects.requireNonNull(ralph, "ralph");
    Objects.requireNonNull(name, "name");
    if (name.length() > 100) {
      throw RalphException.invalid("the name of lists has 100 characters at most");
    }
    return new ListLog(ralph, Topic.of("list").child(Topic.checkSegment("name of lists", name)));
  }

  /** Returns the list's texts; none if there is no such list. */
  public List<String> get(String id) {
    return ledger(segment(id)).state().texts;
  }

  /**
   * Adds texts to the end of a list, which begins with its first text.
   *
   * @throws RalphException INVALID if the id is empty, or the texts are more or longer than the
   *     store takes at once
   */
  public void append(String id, List<String> texts) {
    List<String> added = List.copyOf(Objects.requireNonNull(texts, "texts"));
    write(id, "adding to", before -> concat(before, added));
  }

  /**
   * Makes these the list's texts, by writing what differs. A list without texts is still listed.
   *
   * @throws RalphException as {@link #append} does
   */
  public void replace(String id, List<String> texts) {
    List<String> wanted = List.copyOf(Objects.requireNonNull(texts, "texts"));
    write(id, "writing", before -> wanted);
  }

  /**
   * Deletes a list: it is not listed any more, and where the store {@linkplain
   * StoreInfo.Capability#ERASES can erase}, its texts are gone from the store's files. An id of
   * less than a hundred letters or so stays, as the name of the empty topic. What is written to the
   * id meanwhile or later begins a new list.
   *
   * @return whether there was such a list
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
    // Also where it was deleted before: that may have been cut short.
    if (ralph.log().info().capabilities().contains(StoreInfo.Capability.ERASES)) {
      erase(segment, topic);
    }
    return wasThere;
  }

  /** Erases what stands before the newest deletion of a list. */
  private void erase(String segment, Topic topic) {
    List<String> doomed = new ArrayList<>();
    List<String> sinceDeletion = new ArrayList<>();
    try (FrameCursor frames = ralph.log().read(Query.of(TopicFilter.of(topic)))) {
      for (Frame frame = frames.next(); frame != null; frame = frames.next()) {
        if (is(frame, "delete")) {
          doomed.addAll(sinceDeletion);
          sinceDeletion.clear();
        } else if (is(frame, "add") || is(frame, "cut")) {
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

  /** Adds the frames that hold an id that the topic's name does not. */
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
   * Returns a page of the ids that there are, in order. No list is read for that.
   *
   * @param prefix what they begin with; empty for all
   * @param after the id that the page before ended with; empty for the first page
   * @param limit how many to return at most, not negative
   */
  public List<String> ids(String prefix, String after, int limit) {
    Objects.requireNonNull(prefix, "prefix");
    Objects.requireNonNull(after, "after");
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

  /** Returns the place of the first one that is not less. */
  private static int place(List<String> sorted, String id) {
    int found = Collections.binarySearch(sorted, id);
    return found < 0 ? -found - 1 : found;
  }

  private void write(String id, String what, UnaryOperator<List<String>> texts) {
    String segment = segment(id);
    Topic topic = topic(segment);
    ledger(segment)
        .decide(
            what + " the list " + RalphException.quote(id),
            (state, now) -> {
              List<Draft> drafts = difference(topic, state.texts, texts.apply(state.texts));
              if (!drafts.isEmpty() && !state.exists) {
                Meta begun = Meta.of("action", "add").with("of", segment);
                drafts.add(
                    Draft.of(index, segment.startsWith(HASHED) ? begun.with("id", id) : begun));
              }
              return Decision.append(drafts, (after, frames) -> true);
            });
  }

  /** Returns the frames that make one list of the other. */
  private static List<Draft> difference(Topic topic, List<String> from, List<String> to) {
    int same = 0;
    while (same < Math.min(from.size(), to.size()) && from.get(same).equals(to.get(same))) {
      same++;
    }
    // A memory that forgets drops the oldest behind what it keeps, such as the system's message.
    int cut = 0;
    while (!to.subList(same, Math.min(to.size(), from.size() - cut))
        .equals(from.subList(same + cut, from.size()))) {
      cut++;
    }
    List<Draft> drafts = new ArrayList<>();
    if (cut > 0) {
      drafts.add(Draft.of(topic, Meta.of("action", "cut").with("at", same).with("n", cut)));
    }
    for (String text : to.subList(from.size() - cut, to.size())) {
      drafts.add(Draft.of(topic, Meta.of("action", "add"), text));
    }
    return drafts;
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
    if (RalphException.requireUnicode("the id of a list", id).isEmpty()) {
      throw RalphException.invalid("the id of a list must not be empty");
    }
    String escaped = EscapedName.of(id);
    return escaped.length() <= EscapedName.LONGEST ? escaped : HASHED + Sha256.of(id);
  }

  private static boolean is(Frame frame, String action) {
    return action.equals(frame.meta().string("action"));
  }

  /** The ids that there are. */
  private static final class Ids {

    /** In order; never changed, only replaced. */
    private List<String> sorted = List.of();

    /** What has come and gone since, by whether it is there. */
    private final TreeMap<String, Boolean> changes = new TreeMap<>();

    /** By their segments, the ids that these don't tell. */
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

    /**
     * Few of many change from one page to the next, so the others are neither sorted nor looked at.
     */
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

  /** What is shown of a list. */
  private record Shown(boolean exists, List<String> texts) {}

  /** A list as frames change it. */
  private static final class Entries {
    private boolean exists;
    private final List<String> texts = new ArrayList<>();

    void apply(Frame frame) {
      Meta meta = frame.meta();
      if (is(frame, "add")) {
        texts.add(frame.content());
        exists = true;
      } else if (is(frame, "delete")) {
        texts.clear();
        exists = false;
      } else if (is(frame, "cut")) {
        int at = (int) meta.integer("at").orElse(-1);
        int n = (int) meta.integer("n").orElse(0);
        if (at >= 0 && n > 0 && at <= texts.size() - n) {
          texts.subList(at, at + n).clear();
        }
      }
    }

    Shown show() {
      return new Shown(exists, List.copyOf(texts));
    }
  }
}
