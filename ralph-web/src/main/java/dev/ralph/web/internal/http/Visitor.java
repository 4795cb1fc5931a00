package dev.ralph.web.internal.http;

/**
 * Who asks: the name of the token that let them in.
 *
 * @param name stands in the log as {@code by} for what they do
 * @param readOnly whether they may only look
 */
public record Visitor(String name, boolean readOnly) {}
