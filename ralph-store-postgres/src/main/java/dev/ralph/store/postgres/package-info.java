/** The log in a PostgreSQL database, which processes on several machines share. */
@NullMarked
package dev.ralph.store.postgres;

import org.jspecify.annotations.NullMarked;
