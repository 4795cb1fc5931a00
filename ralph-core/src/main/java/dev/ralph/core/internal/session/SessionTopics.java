package dev.ralph.core.internal.session;

import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;

/** The topics of a session, all in the scope {@code ralph.<name>}. */
final class SessionTopics {

  private static final String ROOT = "ralph";

  private final String session;
  private final Topic scope;

  SessionTopics(String session) {
    Topic.checkSegment("session name", session);
    this.session = session;
    this.scope = Topic.of(ROOT).child(session);
  }

  /** Returns the name of the session. */
  String session() {
    return session;
  }

  /** Returns a filter for all frames of the session. */
  TopicFilter all() {
    return TopicFilter.parse(scope + ".*");
  }

  Topic task() {
    return scope.child("task");
  }

  Topic note() {
    return scope.child("note");
  }

  Topic inbox() {
    return scope.child("inbox");
  }

  Topic question() {
    return scope.child("question");
  }

  Topic iteration() {
    return scope.child("iteration");
  }

  Topic output() {
    return scope.child("output");
  }

  Topic record() {
    return scope.child("record");
  }

  Topic step() {
    return scope.child("step");
  }

  Topic control() {
    return scope.child("control");
  }

  Topic activity() {
    return scope.child("activity");
  }

  /** Returns a filter for the frames that completion depends on. */
  TopicFilter completion() {
    return TopicFilter.of(task(), inbox());
  }

  /** Returns a filter for work: without the loop's own frames and the control frames. */
  TopicFilter work() {
    return TopicFilter.of(task(), note(), inbox(), question());
  }
}
