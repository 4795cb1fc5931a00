/** Durable chat memory, a session's tools and a loop's agent for Spring AI. */
@NullMarked
package dev.ralph.spring.ai;

import org.jspecify.annotations.NullMarked;
