package dev.ralph.web.internal.http;

/**
 * An authenticated person.
 *
 * @param name the person's name, which the log records as {@code by} with the person's changes
 * @param readOnly whether the person may only read
 * @param id identifies the token, for limits; empty for a request without authentication
 */
public record Visitor(String name, boolean readOnly, String id) {}
