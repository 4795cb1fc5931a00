package dev.ralph.domain;

/** A numbered list that stores and returns entries of the same type. */
final class Things extends NumberedList<Things.Thing, Things.Thing> {

  record Thing(String id, int number, String title) implements Numbered {}

  Things(NumberedState<Thing> state) {
    super(state, "thing", 't');
  }

  @Override
  public Thing view(int index) {
    return entry(index);
  }
}
