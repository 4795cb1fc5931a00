package dev.ralph.internal;

import dev.ralph.log.Damage;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Forwards each call to another cursor. Extend the class to change a few methods. No method calls
 * another method of this class.
 */
public abstract class ForwardingCursor implements FrameCursor {

  private final FrameCursor cursor;

  /**
   * Wraps another cursor.
   *
   * @param cursor receives each call; closed together with this cursor
   */
  protected ForwardingCursor(FrameCursor cursor) {
    this.cursor = cursor;
  }

  @Override
  public @Nullable Frame next() {
    return cursor.next();
  }

  @Override
  public Position position() {
    return cursor.position();
  }

  @Override
  public List<Damage> damage() {
    return cursor.damage();
  }

  @Override
  public void close() {
    cursor.close();
  }
}
