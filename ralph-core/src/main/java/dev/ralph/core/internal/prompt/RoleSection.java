package dev.ralph.core.internal.prompt;

import dev.ralph.Iteration;

/** The purpose of an iteration that does not build. */
final class RoleSection {

  private RoleSection() {}

  static String render(Iteration.Role role) {
    return switch (role) {
      case BUILD -> "";
      case PLAN ->
          """
          ## THIS ITERATION PLANS (Of the instructions, only messages and notes are for it)
          Read the request and the existing code. Add a task for each piece of work that fits one \
          iteration, with the tasks that it depends on. Work on none of them: change no file and commit \
          nothing. Other iterations build.""";
      case REVIEW ->
          """
          ## THIS ITERATION REVIEWS (Of the instructions, only messages and notes are for it)
          Look at what the last iterations changed: their commits and files, the tasks that they completed, \
          and what the project's checks say. Add a task for each thing that is wrong or missing. Mend \
          nothing yourself: change no file and commit nothing. Other iterations build.""";
    };
  }
}
