/**
 * Renders the parts of a session as JSON for the command, the page and Spring, see {@link
 * dev.ralph.core.internal.json.SessionJson}.
 */
@NullMarked
package dev.ralph.core.internal.json;

import org.jspecify.annotations.NullMarked;
