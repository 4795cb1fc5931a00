package dev.ralph.core.internal.loop.agent;

import dev.ralph.core.internal.process.ProcessMark;
import java.nio.file.Path;
import java.util.Map;

/**
 * The folder of an agent, and the marks and variables of its processes.
 *
 * @param agent the number of the agent among several, from 1; 0 if the loop has only one
 * @param mark the mark of its processes
 * @param variables the environment variables, in addition to the variables of its role
 */
public record AgentPlace(
    int agent, Path directory, ProcessMark mark, Map<String, String> variables) {}
