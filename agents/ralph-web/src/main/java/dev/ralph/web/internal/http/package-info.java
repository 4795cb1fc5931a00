/**
 * Requests, responses and event streams, independent of sessions. Begin with {@link
 * dev.ralph.web.internal.http.Router}, which passes a request to an {@link
 * dev.ralph.web.internal.http.Endpoint} as an {@link dev.ralph.web.internal.http.Exchange}; {@link
 * dev.ralph.web.internal.http.EventStream} sends events.
 */
@NullMarked
package dev.ralph.web.internal.http;

import org.jspecify.annotations.NullMarked;
