package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The session or change that owns a branch {@code ralph/NAME} and its markers {@code
 * refs/ralph/NAME/…}. A name is not enough. A deleted session, or a session of another store, may
 * have had the same name, and its branch may contain rejected commits.
 *
 * <p>The id of a session is the id of its first frame since its last deletion. All sessions on a
 * change share one branch, so the id of a change is the id of the first frame of its topic. The
 * reference {@code refs/ralph/NAME/session/ID} records the id; older versions ignore this
 * reference.
 *
 * @param id the id of the session or change; empty if it has no frames
 * @param hasWorked whether the session, or a session on the change, has an iteration
 */
public record BranchOwner(String id, boolean hasWorked) {

  /** The owner of a branch's markers. */
  enum Relation {
    /** There are no markers. */
    NONE,
    /** The markers name this session. */
    OWN,
    /** The markers name no session, as in older versions, and this session has worked. */
    ADOPTED,
    /** The markers belong to another session. */
    FOREIGN
  }

  private static final String DELETED = "session_deleted";
  private static final String SESSION = "session";

  /**
   * Reads the id of a session.
   *
   * @param log the log of the session
   * @param session the name of the session
   */
  public static BranchOwner of(FrameLog log, String session) {
    String id = first(log, TopicFilter.parse("ralph." + session + ".*"));
    return new BranchOwner(id, hasWorked(log, session));
  }

  /**
   * Reads the id of an owner with several sessions, for example a change.
   *
   * @param topic the topic of the owner; its frames name sessions in the member {@code session}
   */
  public static BranchOwner of(FrameLog log, Topic topic) {
    TopicFilter all = TopicFilter.of(topic);
    return new BranchOwner(
        first(log, all), sessions(log, all).stream().anyMatch(name -> hasWorked(log, name)));
  }

  private static Set<String> sessions(FrameLog log, TopicFilter topic) {
    Set<String> names = new HashSet<>();
    try (FrameCursor frames = log.read(Query.of(topic))) {
      for (Frame frame = frames.next(); frame != null; frame = frames.next()) {
        String name = frame.meta().string(SESSION);
        if (name != null && Topic.isSegment(name)) {
          names.add(name);
        }
      }
    }
    return names;
  }

  /** Returns whether a session wrote the newest frame of a topic. */
  public static boolean isNewest(FrameLog log, Topic topic, String session) {
    return log.last(TopicFilter.of(topic))
        .filter(frame -> session.equals(frame.meta().string(SESSION)))
        .isPresent();
  }

  private static boolean hasWorked(FrameLog log, String session) {
    return log.last(TopicFilter.parse("ralph." + session + ".iteration"))
        .filter(frame -> !frame.isErased())
        .isPresent();
  }

  private static String first(FrameLog log, TopicFilter all) {
    String first = "";
    try (FrameCursor frames = log.read(Query.of(all))) {
      for (Frame frame = frames.next(); frame != null; frame = frames.next()) {
        if (DELETED.equals(frame.meta().string("action"))) {
          first = "";
        } else if (first.isEmpty()) {
          first = frame.id();
          if (!frame.isErased()) {
            // A deletion would have erased the first frame, so the session was not deleted.
            return first;
          }
        }
      }
    }
    return first;
  }

  /**
   * Returns the owner of the markers.
   *
   * @param isMarked whether the marker {@code accepted} exists
   * @param owners the ids of the sessions that the markers name
   */
  Relation relation(boolean isMarked, Set<String> owners) {
    if (!isMarked) {
      return Relation.NONE;
    }
    if (owners.isEmpty()) {
      return hasWorked ? Relation.ADOPTED : Relation.FOREIGN;
    }
    return owners.contains(id) ? Relation.OWN : Relation.FOREIGN;
  }

  /**
   * Checks that the branch does not belong to another session. Deletes the markers of another
   * session if its branch no longer exists.
   *
   * @throws RalphException INVALID if the branch belongs to another session, with the remedy
   */
  public void require(Git git, SessionNames names) throws InterruptedException {
    if (relation(git, names) != Relation.FOREIGN) {
      return;
    }
    if (GitTrees.has(git, SessionNames.head(names.branch()))) {
      throw RalphException.invalid(
          "the branch "
              + names.branch()
              + " belongs to another session "
              + names.session()
              + ", which was deleted or is in a different store. To see the work: ralph branch"
              + " diff "
              + names.session()
              + "; to remove the branch: ralph branch discard "
              + names.session()
              + "; or use a different name");
    }
    deleteMarkers(git, names);
  }

  /**
   * Adds the owner to the commands for {@code git update-ref --stdin} that create the markers, so a
   * killed process never leaves markers without an owner.
   *
   * @param commit the commit of the marker {@code accepted}
   */
  public List<String> with(List<String> commands, SessionNames names, String commit) {
    List<String> all = new ArrayList<>(commands);
    if (!id.isEmpty()) {
      all.add("update " + names.owner(id) + " " + commit);
    }
    return all;
  }

  /** Records that the branch belongs to this session. The markers must already exist. */
  public void record(Git git, SessionNames names) throws InterruptedException {
    String own = names.owner(id);
    if (!id.isEmpty() && !GitTrees.has(git, own)) {
      GitTrees.require(
          "git update-ref", GitTrees.patient(git, "update-ref", own, names.accepted()));
    }
  }

  /**
   * Deletes the markers of a branch if they belong to this session. The branch and the work trees
   * stay.
   *
   * @return whether markers of this session existed
   */
  public boolean forget(Git git, SessionNames names) throws InterruptedException {
    Relation relation = relation(git, names);
    boolean isOwn = relation == Relation.OWN || relation == Relation.ADOPTED;
    if (isOwn) {
      deleteMarkers(git, names);
    }
    return isOwn;
  }

  private Relation relation(Git git, SessionNames names) throws InterruptedException {
    Set<String> owners =
        refs(git, names.owner("")).stream()
            .map(ref -> ref.substring(names.owner("").length()))
            .collect(Collectors.toSet());
    return relation(GitTrees.has(git, names.accepted()), owners);
  }

  private static void deleteMarkers(Git git, SessionNames names) throws InterruptedException {
    String lines =
        refs(git, names.refs()).stream()
            .filter(ref -> !ref.equals(names.base()))
            .map(ref -> "delete " + ref + "\n")
            .collect(Collectors.joining());
    GitTrees.require("git update-ref", GitTrees.patientWith(lines, git, "update-ref", "--stdin"));
  }

  private static Set<String> refs(Git git, String prefix) throws InterruptedException {
    CommandResult refs = git.run("for-each-ref", "--format=%(refname)", prefix);
    return new HashSet<>(GitTrees.require("git for-each-ref", refs).output().lines().toList());
  }
}
