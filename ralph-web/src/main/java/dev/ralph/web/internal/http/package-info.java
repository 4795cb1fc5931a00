/** Requests, responses and streams of events; knows nothing of sessions. */
@NullMarked
package dev.ralph.web.internal.http;

import org.jspecify.annotations.NullMarked;
