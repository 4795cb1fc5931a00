package dev.ralph.core.internal.view;

import dev.ralph.log.Fold;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The classes that a fold and its codec are made of, which tell it from another fold of the same
 * name. Within one program the classes themselves are compared, and between programs their names,
 * because nothing else lasts.
 */
final class FoldCode {

  /** What the name of a function's class goes on with, which differs from run to run. */
  private static final String FUNCTION = "$$Lambda";

  private final List<Class<?>> classes;

  private FoldCode(List<Class<?>> classes) {
    this.classes = classes;
  }

  /** Returns the code of a fold, or null if it keeps no snapshots, so that its name is its own. */
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

  /** Returns the names of the classes; those of functions end with the class they stand in. */
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
