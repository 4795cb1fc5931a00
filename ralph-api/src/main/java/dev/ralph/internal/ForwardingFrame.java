package dev.ralph.internal;

import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Topic;
import java.time.Instant;
import java.util.List;

/**
 * Forwards each call to another frame. Extend the class to change a few methods. No method calls
 * another method of this class.
 */
public abstract class ForwardingFrame implements Frame {

  private final Frame frame;

  /**
   * Wraps another frame.
   *
   * @param frame receives each call
   */
  protected ForwardingFrame(Frame frame) {
    this.frame = frame;
  }

  @Override
  public String id() {
    return frame.id();
  }

  @Override
  public Topic topic() {
    return frame.topic();
  }

  @Override
  public Position position() {
    return frame.position();
  }

  @Override
  public Instant time() {
    return frame.time();
  }

  @Override
  public Meta meta() {
    return frame.meta();
  }

  @Override
  public String content() {
    return frame.content();
  }

  @Override
  public boolean isErased() {
    return frame.isErased();
  }

  @Override
  public Frame erased() {
    return frame.erased();
  }

  @Override
  public boolean isErasureNotice() {
    return frame.isErasureNotice();
  }

  @Override
  public List<String> erasedIds() {
    return frame.erasedIds();
  }

  @Override
  public Meta json() {
    return frame.json();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ForwardingFrame && ((ForwardingFrame) other).frame.equals(frame);
  }

  @Override
  public int hashCode() {
    return frame.hashCode();
  }

  @Override
  public String toString() {
    return frame.toString();
  }
}
