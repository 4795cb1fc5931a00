package dev.ralph.core.internal.view;

import dev.ralph.log.Fold;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The classes of a fold and its codec, which distinguish folds of the same name. Within a program
 * the classes are compared, and between programs their names.
 */
final class FoldCode {

  /** The begin of the variable part in the class name of a lambda. */
  private static final String FUNCTION = "$$Lambda";

  private final List<Class<?>> classes;

  private FoldCode(List<Class<?>> classes) {
    this.classes = classes;
  }

  /**
   * Returns the code of a fold. Returns null for a fold without snapshots, because such folds may
   * share a name.
   */
  static @Nullable FoldCode of(Fold<?, ?> fold) {
    Optional<? extends Fold.Codec<?>> codec = fold.codec();
    if (codec.isEmpty()) {
      return null;
    }
    List<Class<?>> classes = new ArrayList<>(fold.code());
    classes.add(codec.get().getClass());
    return new FoldCode(classes);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof FoldCode && ((FoldCode) other).classes.equals(classes);
  }

  @Override
  public int hashCode() {
    return classes.hashCode();
  }

  /** Returns the names of the classes; names of lambdas are cut after the enclosing class. */
  @Override
  public String toString() {
    StringBuilder names = new StringBuilder();
    for (Class<?> type : classes) {
      String name = type.getName();
      int function = name.indexOf(FUNCTION);
      names.append(names.length() == 0 ? "" : ", ");
      names.append(name, 0, function < 0 ? name.length() : function);
    }
    return names.toString();
  }
}
