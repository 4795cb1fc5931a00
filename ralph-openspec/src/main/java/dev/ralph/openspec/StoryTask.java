package dev.ralph.openspec;

/**
 * A task of a story, as {@code tasks.md} has it.
 *
 * @param id its number, such as {@code 2.1}; one without a number has its place among all tasks of
 *     its story: {@code 2.#3}
 * @param description what is to be done, on one line, without the number
 * @param done whether it is ticked
 * @param line where it stands, from 1
 */
public record StoryTask(String id, String description, boolean done, int line) {}
