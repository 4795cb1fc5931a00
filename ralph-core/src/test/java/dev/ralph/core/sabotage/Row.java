package dev.ralph.core.sabotage;

import dev.ralph.StopReason;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A sabotage: the actions of the user and an agent, and the required reaction of the build. */
final class Row {

  /** An action of an actor. */
  @FunctionalInterface
  interface Act {
    void by(Actor actor) throws Exception;
  }

  private static final Act NOTHING = actor -> {};

  final String name;
  Act prepare = NOTHING;
  Act settings = NOTHING;
  Act agent = NOTHING;
  Act again = NOTHING;
  @Nullable Act meanwhile;
  final List<Pattern> says = new ArrayList<>();
  final List<String> onSession = new ArrayList<>();
  final List<String> onMain = new ArrayList<>();
  final Set<StopReason> ends = EnumSet.noneOf(StopReason.class);
  final Set<Mode> modes = EnumSet.allOf(Mode.class);
  final Set<Mode> faults = EnumSet.noneOf(Mode.class);
  final List<String> notOnMain = new ArrayList<>();
  boolean mayNotBegin;
  boolean discards;
  String subfolder = "";

  private Row(String name) {
    this.name = name;
  }

  static Row row(String name) {
    return new Row(name);
  }

  /** Prepares the user's repository before it is cloned or used. */
  Row prepare(Act act) {
    this.prepare = act;
    return this;
  }

  /** Sets the preparation of the agents' repository, which is the clone on a host. */
  Row settings(Act act) {
    this.settings = act;
    return this;
  }

  /** Sets the action of the agent in its first attempt at its task. */
  Row agent(Act act) {
    this.agent = act;
    return this;
  }

  /** Sets the action of the agent in later attempts at its task. */
  Row again(Act act) {
    this.again = act;
    return this;
  }

  /** Sets the action of the user in the checkout while the agent works. */
  Row meanwhile(Act act) {
    this.meanwhile = act;
    return this;
  }

  /** Requires a match of a regular expression in the output. */
  Row says(String regex) {
    says.add(Pattern.compile(regex, Pattern.CASE_INSENSITIVE | Pattern.DOTALL));
    return this;
  }

  /** Requires files of the agent on the session's branch in the end. */
  Row merged(String... files) {
    onSession.addAll(List.of(files));
    return this;
  }

  /** Requires files on the user's branch in the end. */
  Row onMain(String... files) {
    onMain.addAll(List.of(files));
    return this;
  }

  /** Requires that files are not on the user's branch in the end. */
  Row notOnMain(String... files) {
    notOnMain.addAll(List.of(files));
    return this;
  }

  /** Requires one of the given reasons for the end of the first build. */
  Row ends(StopReason... reasons) {
    ends.addAll(List.of(reasons));
    return this;
  }

  /** Requires that the work can be discarded in the end, because all of it is merged. */
  Row discards() {
    this.discards = true;
    return this;
  }

  /** Allows a build to be refused before an agent runs. */
  Row mayNotBegin() {
    this.mayNotBegin = true;
    return this;
  }

  /** Moves the project into a folder of the repository. */
  Row subfolder(String path) {
    this.subfolder = path;
    return this;
  }

  /** Excludes modes in which the row has no meaning. */
  Row not(Mode... without) {
    modes.removeAll(List.of(without));
    return this;
  }

  /** Marks modes with a known fault, in which a failure is reported as skipped. */
  Row fault(Mode... failing) {
    faults.addAll(List.of(failing));
    return this;
  }

  @Override
  public String toString() {
    return name;
  }
}
