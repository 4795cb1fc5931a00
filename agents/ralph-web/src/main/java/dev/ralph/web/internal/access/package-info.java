/**
 * Authentication of people and agents. Begin with {@link
 * dev.ralph.web.internal.access.TokenAuthenticator}, which authenticates requests; {@link
 * dev.ralph.web.internal.access.PageKeys} holds the keys of browsers.
 */
@NullMarked
package dev.ralph.web.internal.access;

import org.jspecify.annotations.NullMarked;
