/**
 * An HTTP server that shows a store's sessions to people and provides their tools to agents. Begin
 * with {@link dev.ralph.web.RalphServer}; {@link dev.ralph.web.AccessTokens} manages access.
 */
@NullMarked
package dev.ralph.web;

import org.jspecify.annotations.NullMarked;
