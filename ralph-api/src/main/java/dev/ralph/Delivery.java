package dev.ralph;

/**
 * A message that is shown to an agent at work.
 *
 * @param message the message
 * @param again whether it was shown before, to an agent that may not have seen it
 */
public record Delivery(Message message, boolean again) {}
