/** An HTTP server that shows a store's sessions to people and provides their tools to agents. */
@NullMarked
package dev.ralph.web;

import org.jspecify.annotations.NullMarked;
