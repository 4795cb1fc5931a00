package dev.ralph.benchmarks;

import dev.ralph.Ralph;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import dev.ralph.mail.Mailboxes;
import dev.ralph.mail.NewMail;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Creates a store with a mailbox. */
final class MakeMail {

  private static final int BATCH = 20;

  private MakeMail() {}

  /**
   * Fills the mailbox bob, for processes.sh. Arguments: {@code DIRECTORY MAILS}, and {@code unread}
   * or {@code read}; {@code read} adds one unread mail.
   */
  public static void main(String[] arguments) {
    int count = Integer.parseInt(arguments[1]);
    Topic topic = Topic.of("mail.default.bob");
    try (Ralph ralph = Ralph.open(Path.of(arguments[0]))) {
      List<Draft> sent = new ArrayList<>();
      for (int i = 1; i <= count; i++) {
        sent.add(
            Draft.of(
                topic,
                Meta.of("status", "unread").with("n", i).with("by", "ann"),
                "Build part " + i + " of the shop, and say when it is done"));
      }
      List<Draft> marks = new ArrayList<>();
      for (Frame frame : append(ralph, sent)) {
        marks.add(Draft.of(topic, Meta.of("action", "mark_read").with("id", frame.id())));
      }
      Mailboxes boxes = Mailboxes.of(ralph, "default");
      if (arguments[2].equals("read")) {
        append(ralph, marks);
        boxes.send(NewMail.of("Build the rest").to("bob"));
      }
      boxes.box("bob").unread(); // saves a snapshot
    }
  }

  private static List<Frame> append(Ralph ralph, List<Draft> drafts) {
    List<Frame> frames = new ArrayList<>();
    for (int from = 0; from < drafts.size(); from += BATCH) {
      int to = Math.min(drafts.size(), from + BATCH);
      frames.addAll(ralph.appendUnsynced(drafts.subList(from, to)));
    }
    return frames;
  }
}
