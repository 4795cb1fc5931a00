package dev.ralph.domain;

/** Numbered things that are kept as they are shown. */
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
