package dev.ralph.benchmarks;

import java.util.List;

/**
 * How much is done.
 *
 * @param frames in a log that is read
 * @param largeFrames in the log that is read with little memory
 * @param rounds how often everything is run in turn
 * @param warmups iterations before those that are measured
 * @param iterations measured in each round
 * @param iterationMillis how long one iteration appends
 * @param steps of a loop that are measured
 * @param messages sent to a follower
 * @param idleSeconds how long a follower is watched while it waits
 * @param warmupCalls of a tool, before those that are measured
 * @param calls of a tool that are measured
 * @param starts of a tool server that are measured
 * @param threads how many append at once where stores are compared, in turn
 * @param processes that append together, in turn; the first one is alone
 * @param followers of one process, in turn; the first one is alone
 * @param growthFrames of other sessions, in the logs that grow
 * @param growthTasks of one session, in others that grow
 * @param growthSessions in a log that has many
 * @param growthMegabytes of notes in a log that has many
 */
record Sizes(
    int frames,
    int largeFrames,
    int rounds,
    int warmups,
    int iterations,
    int iterationMillis,
    int steps,
    int messages,
    int idleSeconds,
    int warmupCalls,
    int calls,
    int starts,
    List<Integer> threads,
    List<Integer> processes,
    List<Integer> followers,
    List<Integer> growthFrames,
    List<Integer> growthTasks,
    int growthSessions,
    int growthMegabytes) {

  /** Enough to compare figures with goals. */
  static final Sizes FULL =
      new Sizes(
          1_000_000,
          10_000_000,
          3,
          3,
          5,
          1000,
          300,
          1000,
          30,
          1000,
          3000,
          15,
          List.of(1, 4, 8, 32),
          List.of(1, 2, 8, 16),
          List.of(1, 100, 1_000),
          List.of(10_000, 100_000, 1_000_000, 10_000_000),
          List.of(1_000, 10_000, 100_000),
          10_000,
          5_000);

  /** Enough to compare the figures of two versions, if it is repeated. */
  static final Sizes SHORT =
      new Sizes(
          200_000,
          1_000_000,
          1,
          3,
          3,
          500,
          100,
          200,
          2,
          500,
          500,
          5,
          List.of(1, 8),
          List.of(1, 2, 8),
          List.of(1, 100),
          List.of(10_000, 100_000),
          List.of(1_000, 10_000),
          1_000,
          100);

  /** Just enough to see that everything runs; the figures say nothing. */
  static final Sizes QUICK =
      new Sizes(
          20_000,
          100_000,
          1,
          1,
          1,
          50,
          5,
          20,
          1,
          10,
          20,
          1,
          List.of(8),
          List.of(1, 2),
          List.of(1, 10),
          List.of(1_000),
          List.of(500),
          100,
          2);
}
