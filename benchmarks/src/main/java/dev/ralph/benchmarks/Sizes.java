package dev.ralph.benchmarks;

import java.util.List;

/**
 * The amount of work of a run.
 *
 * @param frames the frames of a log to read
 * @param largeFrames the frames of the log read with little memory
 * @param rounds the number of rounds
 * @param warmups the number of warm-up iterations
 * @param iterations the number of measured iterations per round
 * @param iterationMillis the duration of an iteration of appends
 * @param steps the number of measured loop steps
 * @param messages the number of messages to a follower
 * @param idleSeconds the time for which a waiting follower is observed
 * @param warmupCalls the number of tool calls before the measured ones
 * @param calls the number of measured tool calls
 * @param starts the number of measured starts of a tool server
 * @param threads the numbers of appending threads in comparisons of stores
 * @param processes the numbers of appending processes; the first is 1
 * @param followers the numbers of followers in a process; the first is 1
 * @param growthFrames the numbers of frames of other sessions in growing logs
 * @param growthTasks the numbers of tasks of the session in growing logs
 * @param growthSessions the number of sessions in a log with many sessions
 * @param growthMegabytes the megabytes of notes in a log with many notes
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

  /** Sizes for comparisons of figures with goals. */
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

  /** Sizes for repeated comparisons of two versions. */
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

  /** Sizes that only test whether all benchmarks run. */
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
