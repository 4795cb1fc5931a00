/**
 * Hosts: programs that take sessions from a shared log and run their loops. Begin with {@link
 * dev.ralph.core.internal.host.SessionOffers} to offer a session and {@link
 * dev.ralph.core.internal.host.SessionHost} to run offered sessions. Inside, {@link
 * dev.ralph.core.internal.host.OfferFold} lists the frames, {@link
 * dev.ralph.core.internal.host.HostChoice} decides which session to take, and {@link
 * dev.ralph.core.internal.host.HostedCheckout} fetches the repository.
 */
@NullMarked
package dev.ralph.core.internal.host;

import org.jspecify.annotations.NullMarked;
