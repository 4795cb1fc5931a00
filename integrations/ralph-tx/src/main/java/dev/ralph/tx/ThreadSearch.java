package dev.ralph.tx;

import dev.ralph.log.RalphException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Finds the messages of a thread in a folder. */
final class ThreadSearch {

  /** The part of a file that the search keeps. */
  private record Link(String name, @Nullable String inReplyTo, Instant time) {}

  private record Place(String id, int depth) {}

  private static final Comparator<Link> OLDEST_FIRST =
      Comparator.comparing(Link::time).thenComparing(Link::name);

  /** The maximum number of files to read for the route counts of a thread. */
  private static final int MOST = 500;

  private final TxView view;
  private final Map<String, List<Link>> links = new HashMap<>();
  private final Map<String, List<String>> answers = new HashMap<>();

  private ThreadSearch(TxView view) {
    this.view = view;
  }

  /** Returns the thread of a message, each message below the message that it answers. */
  static List<TxView.ThreadEntry> find(TxView view, String id) {
    ThreadSearch search = new ThreadSearch(view);
    view.each(search::add);
    search.connect();
    if (!search.links.containsKey(id) && !search.answers.containsKey(id)) {
      throw RalphException.notFound(
          "no message "
              + RalphException.quote(id)
              + " in "
              + view.folder().messages()
              + ", and no answer to such a message");
    }
    return search.from(TxThreads.of(id, search::answered));
  }

  /** Returns the route counts in the thread of a new message, for the route of that message. */
  static TxIterations iterations(TxFolder folder, TxMessage message) {
    String answered = message.inReplyTo();
    TxAddress from = message.from();
    TxAddress to = message.to();
    if (answered == null || from == null || to == null || message.status() == null) {
      return TxIterations.NONE;
    }
    List<String> all = folder.names();
    Map<String, @Nullable String> links = new HashMap<>();
    Function<String, @Nullable String> inReplyTo =
        id -> {
          if (!links.containsKey(id)) {
            TxFile file = folder.findByName(id, all).orElse(null);
            links.put(id, file == null ? null : file.message().inReplyTo());
          }
          return links.get(id);
        };
    String thread = TxThreads.of(answered, inReplyTo);
    String way = "-" + from.agent() + "--" + to.agent() + "-";
    List<String> names = new ArrayList<>(all);
    names.removeIf(name -> !name.contains(way));
    names.sort(Comparator.reverseOrder());
    TxIterations iterations = TxIterations.NONE;
    for (String name : names.subList(0, Math.min(MOST, names.size()))) {
      TxFile file = folder.readIfAny(name);
      if (file != null) {
        links.put(file.id(), file.message().inReplyTo());
        if (TxThreads.of(file.id(), inReplyTo).equals(thread)) {
          iterations = iterations.with(file.message());
        }
      }
    }
    return iterations;
  }

  private void add(TxListed listed) {
    TxFile file = listed.file();
    if (file != null) {
      links
          .computeIfAbsent(file.id(), id -> new ArrayList<>(1))
          .add(new Link(file.name(), file.message().inReplyTo(), listed.time()));
    }
  }

  private void connect() {
    links.values().forEach(files -> files.sort(OLDEST_FIRST));
    for (String id : links.keySet()) {
      String answered = answered(id);
      if (answered != null) {
        answers.computeIfAbsent(answered, key -> new ArrayList<>(1)).add(id);
      }
    }
  }

  /**
   * Returns the id of the message that a message answers, or null. The oldest file with an id
   * counts.
   */
  private @Nullable String answered(String id) {
    List<Link> files = links.get(id);
    return files == null ? null : files.get(0).inReplyTo();
  }

  private List<TxView.ThreadEntry> from(String first) {
    List<TxView.ThreadEntry> entries = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    Deque<Place> next = new ArrayDeque<>(List.of(new Place(first, 0)));
    while (!next.isEmpty()) {
      Place place = next.pop();
      boolean repeated = !seen.add(place.id);
      List<TxListed> files = repeated ? List.of() : files(place.id);
      entries.add(new TxView.ThreadEntry(place.id, place.depth, files, repeated));
      if (!repeated) {
        newestFirst(place.id).forEach(id -> next.push(new Place(id, place.depth + 1)));
      }
    }
    return entries;
  }

  /** Returns the ids of the answers to a message, newest first. */
  private List<String> newestFirst(String id) {
    List<String> ids = new ArrayList<>(answers.getOrDefault(id, List.of()));
    ids.sort(Comparator.comparing(this::first, OLDEST_FIRST));
    Collections.reverse(ids);
    return ids;
  }

  private Link first(String id) {
    return Objects.requireNonNull(links.get(id), id).get(0);
  }

  private List<TxListed> files(String id) {
    List<TxListed> files = new ArrayList<>();
    for (Link link : links.getOrDefault(id, List.of())) {
      TxListed listed = view.list(link.name, link.time);
      if (listed != null) {
        files.add(listed);
      }
    }
    return List.copyOf(files);
  }
}
