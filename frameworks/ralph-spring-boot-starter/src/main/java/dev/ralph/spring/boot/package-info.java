/** Store, loops, health and JSON of Ralph in a Spring Boot application. */
@NullMarked
package dev.ralph.spring.boot;

import org.jspecify.annotations.NullMarked;
