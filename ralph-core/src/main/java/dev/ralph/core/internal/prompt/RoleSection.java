package dev.ralph.core.internal.prompt;

import dev.ralph.Iteration;

/** Renders the instructions of an iteration that plans or reviews. */
final class RoleSection {

  private RoleSection() {}

  static String render(Iteration.Role role) {
    return switch (role) {
      case BUILD -> "";
      case PLAN ->
          """
          ## THIS ITERATION PLANS (Follow only the instructions about messages and notes)
          Read the request and the existing code. Add a task, with its dependencies, for each piece of \
          work that fits one iteration. Do not start the tasks: change no file and commit nothing. Later \
          iterations build.""";
      case REVIEW ->
          """
          ## THIS ITERATION REVIEWS (Follow only the instructions about messages and notes)
          Review the last iterations: their commits, files and completed tasks, and the results of the \
          project's checks. Add a task for each defect or missing part. Fix nothing yourself: change no \
          file and commit nothing. Later iterations build.""";
    };
  }
}
