package dev.ralph.web.internal.http;

/**
 * An authenticated person.
 *
 * @param name stands in the log as {@code by} for changes by this person
 * @param readOnly whether the person may only look
 * @param id identifies the token, for limits; empty for a request that needs no token
 */
public record Visitor(String name, boolean readOnly, String id) {}
