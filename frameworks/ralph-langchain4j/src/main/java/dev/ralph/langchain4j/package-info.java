/** Durable chat memory, a session's tools and a loop's agent for LangChain4j. */
@NullMarked
package dev.ralph.langchain4j;

import org.jspecify.annotations.NullMarked;
