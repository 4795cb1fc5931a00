/** A store, its loops, their health and their JSON in a Spring Boot application. */
@NullMarked
package dev.ralph.spring.boot;

import org.jspecify.annotations.NullMarked;
