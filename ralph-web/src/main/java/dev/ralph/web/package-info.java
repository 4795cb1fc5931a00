/** A server that shows a store's sessions to people, and serves them to agents, over HTTP. */
@NullMarked
package dev.ralph.web;

import org.jspecify.annotations.NullMarked;
