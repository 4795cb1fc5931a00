package dev.ralph.web.internal.page;

import dev.ralph.core.internal.text.EscapedName;
import dev.ralph.log.DamagedException;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.TopicFilter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The newest mail between the boxes of a store, or of a session's agents: the sender, the
 * recipients and whether the mail was read. A fold of the topics below {@code mail}.
 *
 * <p>The mail of a session is the mail of the project with the session's name, in which each agent
 * has a box. Mail sent from the session's inbox also belongs to the session.
 */
final class RecentMail {

  static final TopicFilter FILTER = TopicFilter.parse("mail.*");

  /** The prefix of the address of a session's inbox. */
  private static final String INBOX = "session:";

  /**
   * The mail at one moment.
   *
   * @param total the number of mails ever sent
   * @param newest the newest mails, the newest first
   */
  record Result(int total, List<Meta> newest) {

    static final Result NOTHING = new Result(0, List.of());

    Meta json() {
      return Meta.of("total", total).with("items", newest);
    }
  }

  /** The session of the mail, or null for all mail. */
  private final @Nullable String session;

  /** The mails by the id that all copies share, the newest last. */
  private final Map<String, Letter> letters = new LinkedHashMap<>();

  private int total;

  private RecentMail(@Nullable String session) {
    this.session = session;
  }

  /**
   * Returns the fold of the mail.
   *
   * @param session the session of the mail, or null for all mail
   */
  static Fold<RecentMail, Result> fold(@Nullable String session) {
    return Fold.of(
        "ralph.page.mail", () -> new RecentMail(session), RecentMail::frame, RecentMail::result);
  }

  /** A mail with all its copies. */
  private static final class Letter {
    private final Frame sent;
    private final String project;
    private final Set<String> boxes = new LinkedHashSet<>();
    private final Set<String> unread = new LinkedHashSet<>();
    private boolean isExpired;
    private @Nullable String text;

    Letter(Frame sent, String project) {
      this.sent = sent;
      this.project = project;
    }

    Meta json() {
      Meta meta = sent.meta();
      String state = isExpired ? "expired" : unread.isEmpty() ? "read" : "unread";
      return Meta.of("id", sent.id())
          .with("project", project)
          .with("from", PageJson.beginning(meta.string("by")))
          .with("to", boxes.stream().map(PageJson::beginning).toList())
          .with("headline", PageJson.beginning(meta.string("headline")))
          .with("answer", meta.has("reply_to") ? true : null)
          .with("state", state)
          .with("sent", PageJson.time(sent.time()))
          .with("text", text());
    }

    private String text() {
      if (text == null) {
        text = PageJson.cut(read(), PageJson.BEGINNING);
      }
      return text;
    }

    private String read() {
      try {
        String begins = sent.meta().string("begins");
        return sent.isErased() ? "(erased)" : begins == null ? sent.content() : begins + "…";
      } catch (DamagedException e) {
        return "(lost; see ralph verify)";
      }
    }
  }

  private void frame(Frame frame) {
    Meta meta = frame.meta();
    switch (Objects.requireNonNullElse(meta.string("action"), "add")) {
      case "add" -> add(frame);
      case "mark_read" -> settled(Objects.requireNonNullElse(meta.string("id"), ""), false);
      case "expire" -> meta.strings("ids").forEach(id -> settled(id, true));
      default -> {
        // Leases are not shown.
      }
    }
  }

  private void add(Frame frame) {
    String[] names = frame.topic().name().split("\\.");
    String project = names.length == 3 ? EscapedName.name(names[1]) : null;
    String box = names.length == 3 ? EscapedName.name(names[2]) : null;
    boolean counts =
        session == null
            || session.equals(project)
            || (INBOX + session).equals(frame.meta().string("by"));
    if (project == null || box == null || !counts) {
      return;
    }
    String common = Objects.requireNonNullElse(frame.meta().string("mail"), frame.id());
    Letter letter = letters.get(common);
    if (letter == null) {
      letter = new Letter(frame, project);
      letters.put(common, letter);
      total++;
      if (letters.size() > SessionParts.WINDOW) {
        letters.remove(letters.keySet().iterator().next());
      }
    }
    if (letter.boxes.size() < SessionParts.WINDOW && letter.boxes.add(box)) {
      letter.unread.add(frame.id());
    }
  }

  private void settled(String id, boolean isExpired) {
    for (Letter letter : letters.values()) {
      if (letter.unread.remove(id)) {
        letter.isExpired |= isExpired;
      }
    }
  }

  private Result result() {
    List<Meta> newest = new ArrayList<>();
    letters.values().forEach(letter -> newest.add(0, letter.json()));
    return new Result(total, newest);
  }
}
