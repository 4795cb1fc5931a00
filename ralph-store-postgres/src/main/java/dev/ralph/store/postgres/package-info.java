/** Keeps the log in a PostgreSQL database that processes on several hosts share. */
@NullMarked
package dev.ralph.store.postgres;

import org.jspecify.annotations.NullMarked;
