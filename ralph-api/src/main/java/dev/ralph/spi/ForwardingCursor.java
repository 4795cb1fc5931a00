package dev.ralph.spi;

import dev.ralph.log.Damage;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cursor that leaves everything to another one. Extend it to do a few methods differently; none
 * calls another one of this class.
 */
public abstract class ForwardingCursor implements FrameCursor {

  private final FrameCursor cursor;

  /**
   * Makes a cursor that stands before another one.
   *
   * @param cursor what every method is left to; closed with this one
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
