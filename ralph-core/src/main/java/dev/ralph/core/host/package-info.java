/**
 * Hosts: programs that take sessions from a shared log and run their loops. Begin with {@link
 * dev.ralph.core.host.SessionOffers} to offer a session and {@link dev.ralph.core.host.SessionHost}
 * to run offered sessions. Inside, {@link dev.ralph.core.host.OfferFold} lists the frames, {@link
 * dev.ralph.core.host.HostChoice} decides which session to take, and {@link
 * dev.ralph.core.host.HostedCheckout} fetches the repository.
 */
@NullMarked
package dev.ralph.core.host;

import org.jspecify.annotations.NullMarked;
