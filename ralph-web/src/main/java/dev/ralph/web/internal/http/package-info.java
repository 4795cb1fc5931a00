/** Requests, responses and event streams, independent of sessions. */
@NullMarked
package dev.ralph.web.internal.http;

import org.jspecify.annotations.NullMarked;
