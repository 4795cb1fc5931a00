/**
 * Sessions, composed of the views of their topics. Begin with {@link
 * dev.ralph.core.internal.session.StoreRalph}, which opens sessions, then read {@link
 * dev.ralph.core.internal.session.LiveSession} for the present, {@link
 * dev.ralph.core.internal.session.PastSession} for a past moment, {@link
 * dev.ralph.core.internal.session.SessionLogs} for the logs of both, and {@link
 * dev.ralph.core.internal.session.SessionTopics} for the topics.
 */
@NullMarked
package dev.ralph.core.internal.session;

import org.jspecify.annotations.NullMarked;
