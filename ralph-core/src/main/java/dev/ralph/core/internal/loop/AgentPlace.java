package dev.ralph.core.internal.loop;

import dev.ralph.core.internal.process.ProcessMark;
import java.nio.file.Path;
import java.util.Map;

/**
 * Where an agent works, and what is found of it by.
 *
 * @param agent which of several it is, from 1; 0 where the loop has only one
 * @param mark what its processes are marked with
 * @param variables for their environment, besides those of its role
 */
record AgentPlace(int agent, Path directory, ProcessMark mark, Map<String, String> variables) {}
